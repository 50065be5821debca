// The bytes of a model: what stands where is said in model.h.
#include "model/model.h"

#include "base/hash.h"

#include <cmath>
#include <type_traits>

namespace sparselin {

static constexpr uint32_t magic = 0x6d6c7073;  // "splm"
static constexpr uint8_t format_version = 1;
static constexpr size_t flags_at = 9;
static constexpr size_t fingerprint_at = 16;
static constexpr uint8_t dense_flag = 1, classes_flag = 2;
static constexpr double no_loss = std::numeric_limits<double>::quiet_NaN();  // the same bytes for all that are none

template <typename Value>
constexpr bool is_choice = std::is_enum_v<std::remove_cvref_t<Value>>;

// The weights of each place, or of each feature, with its index and a second count.
static bool dense_is_smaller(const Model& model) {
    const size_t weights = sizeof(double) * model.runs();
    return weights * places(model) <= (weights + sizeof(int32_t)) * model.index.size() + 8;
}

namespace {

// How many bytes a field takes behind the fingerprint; a choice lies before it.
struct SizeOf {
    template <typename Value>
    size_t operator()(const Value& value) const {
        if constexpr (is_choice<Value>)
            return 0;
        else
            return sizeof value;
    }
    size_t operator()(const String& text) const { return 8 + text.size(); }
    size_t operator()(const Origins& origins) const { return origins.saved_size(); }
    size_t operator()(const Vector<double>& of_runs) const { return sizeof(double) * of_runs.size(); }
    size_t operator()(const Vector<String>& classes) const {
        size_t size = classes.empty() ? 0 : 8;
        for (const String& name : classes) size += 8 + name.size();
        return size;
    }
    size_t operator()(const Vector<HistoryPoint>& history) const { return 8 + 16 * history.size(); }
    size_t operator()(const Vector<Tried>& search) const { return 8 + 16 * search.size(); }
    size_t operator()(const Vector<char>& bytes) const { return 8 + bytes.size(); }
    size_t operator()(const WeightsOf<const Model>& weights) const {
        const Model& model = weights.model;
        if (dense_is_smaller(model)) return 8 + sizeof(double) * places(model) * model.runs();
        return 16 + sizeof(int32_t) * model.index.size() + sizeof(double) * model.weight.size();
    }
};

// Writes a field that lies behind the fingerprint.
struct FieldWriter {
    Writer& writer;
    StopSign stop;

    void operator()(double value) { writer.f64(value + 0.0); }
    void operator()(int64_t value) { writer.i64(value); }
    void operator()(int32_t value) { writer.i32(value); }
    void operator()(const String& text) { writer.string(text); }
    void operator()(const Origins& origins) { origins.save(writer); }
    void operator()(const Vector<double>& of_runs) {
        for (const double number : of_runs) writer.f64(number + 0.0);
    }
    void operator()(const Vector<String>& classes) {
        if (classes.empty()) return;
        writer.u64(classes.size());
        for (const String& name : classes) writer.string(name);
    }
    void operator()(const Vector<char>& bytes) { writer.array(std::span<const char>(bytes)); }
    void operator()(const Vector<HistoryPoint>& history) {
        writer.u64(history.size());
        for (const HistoryPoint& point : history) {
            writer.i64(point.step);
            writer.f64(point.loss + 0.0);
        }
    }
    void operator()(const Vector<Tried>& search) {
        writer.u64(search.size());
        for (const Tried& tried : search) {
            writer.f64(tried.strength);
            writer.f64(std::isfinite(tried.loss) ? tried.loss + 0.0 : no_loss);
        }
    }
    void operator()(const WeightsOf<const Model>& weights) {
        const Model& model = weights.model;
        if (dense_is_smaller(model)) return dense(model);
        writer.array(std::span<const int32_t>(model.index));
        writer.array(std::span<const double>(model.weight));
    }

    void dense(const Model& model) {
        const size_t size = places(model);
        writer.u64(size);
        for (size_t place = 0, i = 0; place < size; ++place) {
            stop.poll_every_so_often(place);
            const bool here = static_cast<size_t>(model.index[i]) == place;
            for (size_t run = 0; run < model.runs(); ++run) writer.f64(here ? model.weights_at(i)[run] : 0);
            i += here;
        }
    }
};

// Reads such a field.
struct FieldReader {
    Reader& reader;
    Model& model;
    uint8_t flags;
    StopSign stop;

    void operator()(double& value) { value = reader.f64(); }
    void operator()(int64_t& value) { value = reader.i64(); }
    void operator()(int32_t& value) { value = reader.i32(); }
    void operator()(String& text) { text = reader.string(); }
    void operator()(Origins& origins) { origins.load(reader); }
    void operator()(Vector<char>& bytes) { reader.array(bytes); }
    void operator()(Vector<double>& of_runs) {
        for (double& number : of_runs) number = reader.f64();
    }
    // So many classes take so many runs.
    void operator()(Vector<String>& classes) {
        if ((flags & classes_flag) == 0) return;
        const size_t count = reader.count(8);
        if (count == 0) reader.fail("no classes");
        each_below(count, stop, [&](size_t) { classes.emplace_back(reader.string()); });
        model.set_runs(runs_for(model.loss, count));
    }
    void operator()(Vector<HistoryPoint>& history) {
        const size_t size = reader.count(16);
        if (size > max_history) reader.fail("the history is too long");
        history.reserve(size);
        for (size_t i = 0; i < size; ++i) {
            const int64_t step = reader.i64();
            history.push_back({step, reader.f64()});
        }
    }
    void operator()(Vector<Tried>& search) {
        const size_t size = reader.count(16);
        if (size > max_tried) reader.fail("a search has tried too much");
        search.reserve(size);
        for (size_t i = 0; i < size; ++i) {
            const double strength = reader.f64();
            search.push_back({strength, reader.f64()});
        }
    }
    void operator()(const WeightsOf<Model>& weights) {
        if ((flags & dense_flag) != 0) return dense();
        reader.array(weights.model.index);
        reader.array(weights.model.weight);
    }

    void dense() {
        const size_t runs = model.runs();
        const size_t size = reader.count(sizeof(double) * runs);
        if (size > static_cast<size_t>(max_index)) reader.fail("too many weights");
        const char* const values = reader.take(sizeof(double) * size * runs).data();
        const auto at = [&](size_t i, size_t run) {
            return load_little<double>(values + sizeof(double) * (i * runs + run));
        };
        const auto weighs = [&](size_t i) {
            for (size_t run = 0; run < runs; ++run)
                if (at(i, run) != 0) return true;
            return false;
        };
        size_t features = 0;
        each_below(size, stop, [&](size_t i) { features += weighs(i); });
        model.index.reserve(features);
        model.weight.reserve(features * runs);
        each_below(size, stop, [&](size_t i) {
            if (!weighs(i)) return;
            model.index.push_back(static_cast<int32_t>(i));
            for (size_t run = 0; run < runs; ++run) model.weight.push_back(at(i, run));
        });
        if (places(model) != size) reader.fail("the last weight is zero");
    }
};

}  // namespace

size_t encoded_size(const Model& model) {
    size_t size = fingerprint_prefix;
    each_field(model, [&](const char*, const auto& value) { size += SizeOf()(value); });
    return size;
}

static Hash128 fingerprint(std::span<const char> bytes, StopSign stop) {
    Hasher128 hasher;
    hasher.add(bytes.first(fingerprint_at), stop);
    hasher.add(bytes.subspan(fingerprint_prefix), stop);
    return hasher.result();
}

Vector<char> encode(const Model& model, size_t reserve, Memory memory, StopSign stop) {
    validate(model, memory, stop);
    const size_t size = encoded_size(model);
    Vector<char> out(memory);
    out.reserve(reserve + size);
    out.resize(reserve);
    Writer writer(out, stop);
    writer.u32(magic);
    writer.u8(format_version);
    writer.u8(1);
    each_field(model, [&](const char*, const auto& value) {
        if constexpr (is_choice<decltype(value)>) writer.u8(static_cast<uint8_t>(value));
    });
    const uint8_t dense = dense_is_smaller(model) ? dense_flag : 0;
    writer.u8(dense | (model.classes.empty() ? 0 : classes_flag));
    out.resize(reserve + fingerprint_prefix);
    each_field(model, [write = FieldWriter{writer, stop}](const char*, const auto& value) mutable {
        if constexpr (!is_choice<decltype(value)>) write(value);
    });

    char* const model_bytes = out.data() + reserve;
    const Hash128 hash = fingerprint({model_bytes, size}, stop);
    store_little(model_bytes + fingerprint_at, hash.low);
    store_little(model_bytes + fingerprint_at + 8, hash.high);
    return out;
}

// Magic and version say what this is; only then is the fingerprint worth looking at.
static void check_header(std::span<const char> bytes, const Reader& reader, StopSign stop) {
    if (bytes.size() < fingerprint_prefix) reader.fail("too short");
    if (load_little<uint32_t>(bytes.data()) != magic) reader.fail("this is not a model");
    const unsigned version = static_cast<unsigned char>(bytes[4]);
    if (version != format_version)
        throw Error(Fault::not_supported, "binary sparselin_model of format %u cannot be read", version)
            .hint("This version of sparselin reads format %d; a newer one may read it.", format_version);
    if (fingerprint(bytes, stop) != fingerprint_of(bytes))
        reader.fail("cut or changed: the content does not match its fingerprint");
}

void check_intact(std::span<const char> bytes, StopSign stop) {
    check_header(bytes, Reader(bytes, "sparselin_model", stop), stop);
}

// Up to the end of the fingerprint. The flags.
static uint8_t read_header(Reader& reader, Model& model) {
    reader.take(5);
    if (reader.u8() != 1) reader.fail("not one model");
    each_field(model, [&](const char* name, auto&& value) {
        if constexpr (is_choice<decltype(value)>) {
            if (!find_by_number(reader.u8(), value)) reader.fail(Phrase().add("unknown %s", name).c_str());
        }
    });
    const uint8_t flags = reader.u8();
    if (flags > (dense_flag | classes_flag)) reader.fail("unknown flags");
    for (const char zero : reader.take(fingerprint_at - flags_at - 1))
        if (zero != 0) reader.fail("unknown flags");
    reader.take(fingerprint_prefix - fingerprint_at);
    return flags;
}

Model decode(std::span<const char> bytes, Memory memory, StopSign stop) {
    Model model(memory);
    Reader reader(bytes, "sparselin_model", stop);
    check_header(bytes, reader, stop);
    const uint8_t flags = read_header(reader, model);
    each_field(model, [read = FieldReader{reader, model, flags, stop}](const char*, auto&& value) mutable {
        if constexpr (!is_choice<decltype(value)>) read(value);
    });
    reader.finish();
    validate(model, memory, stop);
    if (((flags & dense_flag) != 0) != dense_is_smaller(model)) reader.fail("the larger form of the weights");
    return model;
}

Hash128 fingerprint_of(std::span<const char> bytes) {
    return {load_little<uint64_t>(bytes.data() + fingerprint_at),
            load_little<uint64_t>(bytes.data() + fingerprint_at + 8)};
}

}  // namespace sparselin
