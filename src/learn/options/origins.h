// Where the value of each option comes from: what somebody gave stays, what is automatic may be made anew from other
// rows.
#pragma once

#include "base/codec.h"
#include "options/options.h"

namespace sparselin {

// The numbers are part of what is stored, where 2 is kept for a value that a search has found.
enum class Origin : uint8_t { automatic = 0, given = 1 };

class Origins {
public:
    Origins() = default;

    // What is set was given.
    explicit Origins(const Options& asked);

    Origin of(const OptionSpec& spec) const { return (given_ & bit(spec)) != 0 ? Origin::given : Origin::automatic; }
    Origin of(double Options::*field) const;

    void set(const OptionSpec& spec, Origin origin);

    // Given is what both say was given.
    void keep_common(const Origins& other) { given_ &= other.given_; }

    friend bool operator==(const Origins&, const Origins&) = default;

    // How many there are, u32; then, of each option that is not automatic, the origin, u8, and the name, a string.
    void save(Writer& writer) const;
    void load(Reader& reader);
    size_t saved_size() const;

private:
    static uint64_t bit(const OptionSpec& spec) { return uint64_t{1} << (&spec - option_table().data()); }

    uint64_t given_ = 0;
};

}  // namespace sparselin
