#include "options/origins.h"

namespace sparselin {

Origins::Origins(const Options& asked) {
    for (const OptionSpec& spec : option_table())
        if (spec.is_set_in(asked)) set(spec, Origin::given);
}

Origin Origins::of(double Options::*field) const {
    for (const OptionSpec& spec : option_table())
        if (spec.field == field) return of(spec);
    return Origin::automatic;
}

void Origins::set(const OptionSpec& spec, Origin origin) {
    given_ = origin == Origin::given ? given_ | bit(spec) : given_ & ~bit(spec);
}

void Origins::save(Writer& writer) const {
    writer.u32(static_cast<uint32_t>(std::popcount(given_)));
    for (const OptionSpec& spec : option_table()) {
        if (of(spec) == Origin::automatic) continue;
        writer.u8(static_cast<uint8_t>(of(spec)));
        writer.string(spec.name);
    }
}

// In the table's order, each once.
void Origins::load(Reader& reader) {
    Origins all;
    for (uint32_t left = reader.u32(); left > 0; --left) {
        if (reader.u8() != static_cast<uint8_t>(Origin::given)) reader.fail("unknown origin of an option");
        const OptionSpec& spec = find_option(reader.string());
        if (all.given_ >= bit(spec)) reader.fail("options out of order");
        all.set(spec, Origin::given);
    }
    *this = all;
}

size_t Origins::saved_size() const {
    size_t size = sizeof(uint32_t);
    for (const OptionSpec& spec : option_table())
        if (of(spec) != Origin::automatic) size += 1 + 8 + std::string_view(spec.name).size();
    return size;
}

}  // namespace sparselin
