// The bytes of a model: what stands where is said in model.h.
#include "model/model.h"

#include "base/hash.h"

#include <cmath>
#include <type_traits>

namespace sparselin {

static constexpr uint32_t magic = 0x6d6c7073;  // "splm"
static constexpr uint8_t format_version = 1;
static constexpr size_t flags_at = 9, front_at = 12, fingerprint_at = 16;
static constexpr size_t resume_head = 24;  // its length and its own fingerprint
static constexpr uint8_t dense_flag = 1, classes_flag = 2, resume_flag = 4, scale_flag = 8;
static constexpr double no_loss = std::numeric_limits<double>::quiet_NaN();  // the same bytes for all that are none

template <typename Value>
constexpr bool is_choice = std::is_enum_v<std::remove_cvref_t<Value>>;

// The weights of each place, with a count; or of each feature, with its index and a second count.
static size_t dense_size(const Model& model, size_t places) {
    return 8 + sizeof(double) * model.runs() * places;
}
static size_t sparse_size(const Model& model) {
    return 16 + (sizeof(int32_t) + sizeof(double) * model.runs()) * model.index.size();
}
static bool dense_is_smaller(const Model& model) {
    return dense_size(model, places(model)) <= sparse_size(model);
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
    size_t operator()(const Vector<char>&) const { return 0; }  // comes on top
    size_t operator()(const KeptScale& scale) const {
        return scale.empty() ? 0 : 16 + (sizeof(int32_t) + sizeof(double)) * scale.index.size();
    }
    size_t operator()(const WeightsOf<const Model>& weights) const {
        return std::min(dense_size(weights.model, places(weights.model)), sparse_size(weights.model));
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
    void operator()(const Vector<char>&) {}  // Encoding's own
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
    void operator()(const KeptScale& scale) {
        if (scale.empty()) return;
        writer.array(std::span<const int32_t>(scale.index));
        writer.array(std::span<const double>(scale.s));
    }
    // A lone weight is not 0, nor -0.
    void operator()(const WeightsOf<const Model>& weights) {
        const Model& model = weights.model;
        if (dense_is_smaller(model)) return dense(model);
        writer.array(std::span<const int32_t>(model.index));
        if (model.runs() == 1) return writer.array(std::span<const double>(model.weight));
        writer.u64(model.weight.size());
        SmallNumbers numbers(writer);
        each_below(model.weight.size(), stop, [&](size_t i) { numbers.add(model.weight[i] + 0.0); });
        numbers.end();
    }

    void dense(const Model& model) {
        const size_t size = places(model);
        writer.u64(size);
        for (size_t place = 0, i = 0; place < size; ++place) {
            stop.poll_every_so_often(place);
            const bool here = static_cast<size_t>(model.index[i]) == place;
            for (size_t run = 0; run < model.runs(); ++run) writer.f64(here ? model.weights_at(i)[run] + 0.0 : 0);
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
    void operator()(Vector<char>&) {  // what comes before it
        if ((flags & resume_flag) != 0) reader.take(resume_head);
    }
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
    void operator()(KeptScale& scale) {
        if ((flags & scale_flag) == 0) return;
        reader.array(scale.index);
        reader.array(scale.s);
        if (scale.empty()) reader.fail("no scale");
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
    return encoded_size(model, model.resume.size());
}

size_t encoded_size(const Model& model, size_t resume) {
    size_t size = fingerprint_prefix + (resume > 0 ? resume_head + resume : 0);
    each_field(model, [&](const char*, const auto& value) { size += SizeOf()(value); });
    return size;
}

static Hash128 hash_of(std::span<const char> bytes, StopSign stop) {
    Hasher128 hasher;
    hasher.add(bytes, stop);
    return hasher.result();
}

// Of all before the resume state, that of which is part of it.
static Hash128 fingerprint(std::span<const char> front, StopSign stop) {
    Hasher128 hasher;
    hasher.add(front.first(fingerprint_at), stop);
    hasher.add(front.subspan(fingerprint_prefix), stop);
    return hasher.result();
}

static void store_hash(char* place, const Hash128& hash) {
    store_little(place, hash.low);
    store_little(place + 8, hash.high);
}

static Hash128 load_hash(const char* place) {
    return {load_little<uint64_t>(place), load_little<uint64_t>(place + 8)};
}

size_t most_before_resume(const Model& model, size_t places) {
    const size_t of_weights = std::min(dense_size(model, places), sparse_size(model));
    size_t size = fingerprint_prefix + resume_head;
    each_field(model, [&]<typename Value>(const char*, const Value& value) {
        size += std::is_same_v<Value, WeightsOf<const Model>> ? of_weights : SizeOf()(value);
    });
    return size;
}

static uint8_t flags_of(const Model& model, bool has_resume) {
    const auto flag = [](bool is_so, uint8_t bit) { return is_so ? bit : uint8_t{0}; };
    return flag(dense_is_smaller(model), dense_flag) | flag(!model.classes.empty(), classes_flag) |
           flag(has_resume, resume_flag) | flag(!model.scale.empty(), scale_flag);
}

// All up to the head of the resume state, but for the fingerprint.
static void write_front(Writer& writer, const Model& model, uint8_t flags, StopSign stop) {
    const size_t start = writer.size();
    writer.u32(magic);
    writer.u8(format_version);
    writer.u8(1);
    each_field(model, [&](const char*, const auto& value) {
        if constexpr (is_choice<decltype(value)>) writer.u8(static_cast<uint8_t>(value));
    });
    writer.u8(flags);
    while (writer.size() < start + fingerprint_prefix) writer.u8(0);
    each_field(model, [write = FieldWriter{writer, stop}](const char*, const auto& value) mutable {
        if constexpr (!is_choice<decltype(value)>) write(value);
    });
}

Encoding::Encoding(size_t reserve, size_t front, size_t resume, Memory memory, StopSign stop)
    : reserve_(reserve), stop_(stop), out_(memory), resume_at_(0), resume_(out_, stop) {
    out_.reserve(reserve + front + resume);
    resume_.place_for(reserve + front);
    resume_at_ = out_.size();
}

void Encoding::begin_resume_at(size_t place) {
    constexpr size_t piece = size_t{1} << 20;
    const size_t size = resume_size();
    if (place > resume_at_) out_.insert(out_.begin(), place - resume_at_, 0);
    for (size_t at = 0; place < resume_at_ && at < size; at += piece) {
        stop_.give_up();
        memmove(out_.data() + place + at, out_.data() + resume_at_ + at, std::min(piece, size - at));
    }
    out_.resize(place + size);
    resume_at_ = place;
}

Vector<char> Encoding::finish(const Model& model) {
    validate(model, out_.get_allocator().resource(), stop_);
    const bool has_resume = resume_size() > 0;
    const size_t front = encoded_size(model, 0) + (has_resume ? resume_head : 0);
    begin_resume_at(reserve_ + front);
    Writer writer(out_, reserve_, stop_);
    write_front(writer, model, flags_of(model, has_resume), stop_);
    char* const bytes = out_.data() + reserve_;
    if (has_resume) {
        const std::span<const char> resume = std::span(out_).subspan(resume_at_);
        writer.u64(resume.size());
        store_hash(bytes + front - sizeof(Hash128), hash_of(resume, stop_));
    }
    store_little(bytes + front_at, static_cast<uint32_t>(front));
    store_hash(bytes + fingerprint_at, fingerprint({bytes, front}, stop_));
    if (out_.capacity() - out_.size() <= out_.size() / 16) return std::move(out_);
    Vector<char> fitting(out_.get_allocator());
    fitting.reserve(out_.size());
    append_all(fitting, std::span<const char>(out_), stop_);
    return fitting;
}

Vector<char> encode(const Model& model, size_t reserve, Memory memory, StopSign stop) {
    const size_t resume = model.resume.size(), front = encoded_size(model, 0) + (resume > 0 ? resume_head : 0);
    Encoding encoding(reserve, front, resume, memory, stop);
    encoding.resume().elements_alone(std::span<const char>(model.resume));
    return encoding.finish(model);
}

size_t front_of(std::span<const char> prefix) {
    return load_little<uint32_t>(prefix.data() + front_at);
}

// All before the resume state. Magic and version say what this is; only then is the fingerprint worth looking at.
static std::span<const char> intact_front(std::span<const char> bytes, const Reader& reader, StopSign stop) {
    if (bytes.size() < fingerprint_prefix) reader.fail("too short");
    if (load_little<uint32_t>(bytes.data()) != magic) reader.fail("this is not a model");
    const unsigned version = static_cast<unsigned char>(bytes[4]);
    if (version != format_version)
        throw Error(Fault::not_supported, "binary sparselin_model of format %u cannot be read", version)
            .hint("This version of sparselin reads format %d; a newer one may read it.", format_version);
    const size_t front = front_of(bytes);
    if (front < fingerprint_prefix || front > bytes.size() ||
        fingerprint(bytes.first(front), stop) != fingerprint_of(bytes))
        reader.fail("cut or changed: the content does not match its fingerprint");
    return bytes.first(front);
}

// The front, when all that follows it is intact too.
static std::span<const char> intact_model(std::span<const char> bytes, const Reader& reader, StopSign stop) {
    const std::span<const char> front = intact_front(bytes, reader, stop), resume = bytes.subspan(front.size());
    if ((front[flags_at] & resume_flag) == 0) {
        if (!resume.empty()) reader.fail(Phrase().add("%zu bytes too many", resume.size()).c_str());
        return front;
    }
    if (front.size() < fingerprint_prefix + resume_head) reader.fail("too short");
    const char* const head = front.data() + front.size() - resume_head;
    if (load_little<uint64_t>(head) != resume.size() || load_hash(head + sizeof(uint64_t)) != hash_of(resume, stop))
        reader.fail("cut or changed: the resume state does not match its fingerprint");
    return front;
}

void check_intact(std::span<const char> bytes, StopSign stop) {
    intact_model(bytes, Reader(bytes, "sparselin_model", stop), stop);
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
    if (flags > (dense_flag | classes_flag | resume_flag | scale_flag)) reader.fail("unknown flags");
    for (const char zero : reader.take(front_at - flags_at - 1))
        if (zero != 0) reader.fail("unknown flags");
    reader.take(fingerprint_prefix - front_at);
    return flags;
}

static Model model_of(Reader&& reader, Memory memory, StopSign stop) {
    Model model(memory);
    const uint8_t flags = read_header(reader, model);
    each_field(model, [read = FieldReader{reader, model, flags, stop}](const char*, auto&& value) mutable {
        if constexpr (!is_choice<decltype(value)>) read(value);
    });
    reader.finish();
    validate(model, memory, stop);
    if (((flags & dense_flag) != 0) != dense_is_smaller(model)) reader.fail("the larger form of the weights");
    return model;
}

Model decode(std::span<const char> bytes, Memory memory, StopSign stop) {
    const Reader reader(bytes, "sparselin_model", stop);
    const std::span<const char> front = intact_model(bytes, reader, stop);
    Model model = model_of(Reader(front, "sparselin_model", stop), memory, stop);
    append_all(model.resume, bytes.subspan(front.size()), stop);
    return model;
}

Model decode_front(std::span<const char> bytes, Memory memory, StopSign stop) {
    const Reader reader(bytes, "sparselin_model", stop);
    return model_of(Reader(intact_front(bytes, reader, stop), "sparselin_model", stop), memory, stop);
}

Hash128 fingerprint_of(std::span<const char> bytes) {
    return load_hash(bytes.data() + fingerprint_at);
}

}  // namespace sparselin
