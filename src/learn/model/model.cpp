#include "model/model.h"

namespace sparselin {

static constexpr uint32_t magic = 0x6d6c7073;  // "splm"
static constexpr uint8_t format_version = 1;
static constexpr size_t fingerprint_at = 16;
static constexpr uint8_t dense_flag = 1;

static constexpr const char* coding_names[] = {"number", "boolean", "plus_minus", "zero_one"};

const char* name_of(Coding coding) {
    return coding_names[static_cast<size_t>(coding)];
}
std::span<const char* const> names_of(Coding) {
    return coding_names;
}

bool find_by_name(std::string_view name, Coding& coding) {
    return find_by_name<Coding>(name, coding) && name == name_of(coding);
}

static bool finite(double value) {
    return value - value == 0;
}

static void validate_weights(const Model& model, StopSign stop) {
    if (model.index.size() != model.weight.size())
        throw Error(Fault::bad_value, "a model has %zu features but %zu weights", model.index.size(),
                    model.weight.size());
    int64_t previous = -1;
    for (size_t i = 0; i < model.index.size(); ++i) {
        stop.poll_every_so_often(i);
        const int64_t feature = int64_t{model.index[i]} + 1;
        if (feature < 1 || feature > max_index)
            throw Error(Fault::bad_value, "feature %lld of a model is out of range", static_cast<long long>(feature))
                .hint("Features are numbered from 1 to %lld.", static_cast<long long>(max_index));
        if (model.index[i] <= previous)
            throw Error(Fault::bad_value, "the features of a model do not ascend at feature %lld",
                        static_cast<long long>(feature))
                .hint("Each feature comes once, the smallest first.");
        if (!finite(model.weight[i]) || model.weight[i] == 0)
            throw Error(Fault::bad_value, "the weight of feature %lld is %s", static_cast<long long>(feature),
                        NumberText(model.weight[i]).c_str())
                .hint("A model keeps finite weights, and only those that are not zero.");
        previous = model.index[i];
    }
    if (model.dimension < 0)
        throw Error(Fault::bad_value, "the dimension of a model cannot be %d", model.dimension)
            .hint("Use 0 for a dimension that is open.");
    if (model.dimension > 0 && previous >= model.dimension)
        throw Error(Fault::bad_value, "feature %lld is beyond the model's dimension %d",
                    static_cast<long long>(previous + 1), model.dimension)
            .hint("Give a larger dimension, or 0 for one that is open.");
}

static void validate_history(const Model& model) {
    if (model.history.size() > max_history)
        throw Error(Fault::bad_value, "the history of a model has %zu points, more than %zu", model.history.size(),
                    max_history);
    int64_t previous = 0;
    for (const HistoryPoint& point : model.history) {
        if (point.step <= previous || !finite(point.loss))
            throw Error(Fault::bad_value, "the history of a model is wrong at step %lld",
                        static_cast<long long>(point.step))
                .hint("Steps ascend from 1, and losses are finite.");
        previous = point.step;
    }
}

static void validate_scalars(const Model& model) {
    const struct {
        const char* name;
        double value;
    } numbers[] = {{"lambda", model.lambda},
                   {"bias", model.bias},
                   {"centred_bias", model.centred_bias},
                   {"progressive_loss", model.progressive_loss}};
    for (const auto& [name, value] : numbers)
        if (!finite(value))
            throw Error(Fault::bad_value, "%s of a model is %s", name, NumberText(value).c_str())
                .hint("Every number in a model is finite.");
    const struct {
        const char* name;
        int64_t value;
    } counts[] = {{"rows", model.rows}, {"skipped", model.skipped}, {"steps", model.steps}, {"epochs", model.epochs}};
    for (const auto& [name, value] : counts)
        if (value < 0)
            throw Error(Fault::bad_value, "%s of a model is %lld", name, static_cast<long long>(value))
                .hint("Counts are not negative.");
    if (model.lambda < 0)
        throw Error(Fault::bad_value, "lambda of a model is %s", NumberText(model.lambda).c_str())
            .hint("lambda is not negative.");
    if (is_classification(model.loss) && model.coding == Coding::number)
        throw Error(Fault::bad_value, "a model with loss %s cannot have labels %s", name_of(model.loss),
                    name_of(model.coding))
            .hint("Labels of a classification loss are boolean, plus_minus or zero_one.");
}

void validate(const Model& model, Memory memory, StopSign stop) {
    validate_scalars(model);
    validate_history(model);
    validate_weights(model, stop);
    settle(parse_options(model.options, memory, stop), model.learner);
}

// 8 bytes for each place, or 12 and a second count for each weight.
static bool dense_is_smaller(size_t places, size_t weights) {
    return 8 * places <= 12 * weights + 8;
}

size_t encoded_size(const Model& model) {
    const size_t places = sparselin::places(model), weights = model.index.size();
    return fingerprint_prefix + 8 + model.options.size() + model.origins.saved_size() + 4 * 8 + 4 * 8 + 4 + 8 +
           16 * model.history.size() + (dense_is_smaller(places, weights) ? 8 + 8 * places : 16 + 12 * weights) + 8 +
           model.resume.size();
}

static Hash128 fingerprint(std::span<const char> bytes, StopSign stop) {
    Hasher128 hasher;
    hasher.add(bytes.first(fingerprint_at), stop);
    hasher.add(bytes.subspan(fingerprint_prefix), stop);
    return hasher.result();
}

static void write_header(Writer& writer, const Model& model, bool dense) {
    writer.u32(magic);
    writer.u8(format_version);
    writer.u8(1);
    writer.u8(static_cast<uint8_t>(model.learner));
    writer.u8(static_cast<uint8_t>(model.loss));
    writer.u8(static_cast<uint8_t>(model.coding));
    writer.u8(dense ? dense_flag : 0);
    for (size_t i = 10; i < fingerprint_prefix; ++i) writer.u8(0);
}

static void write_weights(Writer& writer, const Model& model, bool dense, StopSign stop) {
    if (!dense) {
        writer.array(std::span<const int32_t>(model.index));
        writer.array(std::span<const double>(model.weight));
        return;
    }
    const size_t size = places(model);
    writer.u64(size);
    for (size_t place = 0, i = 0; place < size; ++place) {
        stop.poll_every_so_often(place);
        const bool here = static_cast<size_t>(model.index[i]) == place;
        writer.f64(here ? model.weight[i] : 0);
        i += here;
    }
}

Vector<char> encode(const Model& model, size_t reserve, Memory memory, StopSign stop) {
    validate(model, memory, stop);
    const size_t size = encoded_size(model);
    const bool dense = dense_is_smaller(places(model), model.index.size());
    Vector<char> out(memory);
    out.reserve(reserve + size);
    out.resize(reserve);
    Writer writer(out, stop);
    write_header(writer, model, dense);
    writer.string(model.options);
    model.origins.save(writer);
    for (const double value : {model.lambda, model.bias, model.centred_bias, model.progressive_loss})
        writer.f64(value + 0.0);
    for (const int64_t count : {model.rows, model.skipped, model.steps, model.epochs}) writer.i64(count);
    writer.i32(model.dimension);
    writer.u64(model.history.size());
    for (const HistoryPoint& point : model.history) {
        writer.i64(point.step);
        writer.f64(point.loss + 0.0);
    }
    write_weights(writer, model, dense, stop);
    writer.array(std::span<const char>(model.resume));

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

static bool read_header(Reader& reader, Model& model) {
    reader.take(5);
    if (reader.u8() != 1) reader.fail("not one model");
    if (!find_by_number(reader.u8(), model.learner)) reader.fail("unknown learner");
    if (!find_by_number(reader.u8(), model.loss)) reader.fail("unknown loss");
    if (!find_by_number(reader.u8(), model.coding)) reader.fail("unknown labels");
    const uint8_t flags = reader.u8();
    if (flags > dense_flag) reader.fail("unknown flags");
    for (const char zero : reader.take(fingerprint_at - 10))
        if (zero != 0) reader.fail("unknown flags");
    reader.take(fingerprint_prefix - fingerprint_at);
    return flags == dense_flag;
}

static void read_dense(Reader& reader, Model& model, StopSign stop) {
    const size_t size = reader.count(8);
    if (size > static_cast<size_t>(max_index)) reader.fail("too many weights");
    const char* const values = reader.take(8 * size).data();
    const auto at = [&](size_t i) { return load_little<double>(values + 8 * i); };
    size_t weights = 0;
    for (size_t i = 0; i < size; ++i) {
        stop.poll_every_so_often(i);
        weights += at(i) != 0;
    }
    model.index.reserve(weights);
    model.weight.reserve(weights);
    for (size_t i = 0; i < size; ++i) {
        stop.poll_every_so_often(i);
        if (at(i) == 0) continue;
        model.index.push_back(static_cast<int32_t>(i));
        model.weight.push_back(at(i));
    }
    if (places(model) != size) reader.fail("the last weight is zero");
}

static void read_history(Reader& reader, Model& model) {
    const size_t size = reader.count(16);
    if (size > max_history) reader.fail("the history is too long");
    model.history.reserve(size);
    for (size_t i = 0; i < size; ++i) {
        const int64_t step = reader.i64();
        model.history.push_back({step, reader.f64()});
    }
}

Model decode(std::span<const char> bytes, Memory memory, StopSign stop) {
    Model model(memory);
    Reader reader(bytes, "sparselin_model", stop);
    check_header(bytes, reader, stop);
    const bool dense = read_header(reader, model);
    model.options = reader.string();
    model.origins.load(reader);
    for (double* number : {&model.lambda, &model.bias, &model.centred_bias, &model.progressive_loss})
        *number = reader.f64();
    for (int64_t* count : {&model.rows, &model.skipped, &model.steps, &model.epochs}) *count = reader.i64();
    model.dimension = reader.i32();
    read_history(reader, model);
    if (dense) {
        read_dense(reader, model, stop);
    } else {
        reader.array(model.index);
        reader.array(model.weight);
    }
    reader.array(model.resume);
    reader.finish();
    validate(model, memory, stop);
    if (dense != dense_is_smaller(places(model), model.index.size())) reader.fail("the larger form of the weights");
    return model;
}

Hash128 fingerprint_of(std::span<const char> bytes) {
    return {load_little<uint64_t>(bytes.data() + fingerprint_at),
            load_little<uint64_t>(bytes.data() + fingerprint_at + 8)};
}

}  // namespace sparselin
