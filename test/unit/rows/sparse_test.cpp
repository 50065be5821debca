// Sparse rows: the check at the door, text, binary, arithmetic and svmlight lines.
#include "rows/libsvm.h"
#include "rows/sparse_binary.h"
#include "rows/sparse_builder.h"
#include "rows/sparse_math.h"
#include "rows/sparse_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();
const StopSign never;
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

SparseVector read(std::string_view text) {
    return parse_sparse(text, heap, never);
}
std::string print(const SparseRow& row) {
    return std::string(print_sparse(row, heap, never));
}
std::string print(const SparseVector& row) {
    return print(row.row());
}

// The message of the Error that `work` throws, "" when it throws none. Every Error of this file has a hint.
std::string fault_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_STRNE(error.hint(), "") << error.message();
        return error.message();
    }
    return "";
}

std::string fault_of_text(std::string_view text) {
    return fault_of([=] { read(text); });
}

void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "\"" << text << "\" lacks \"" << part << "\"";
}

SparseVector vector_of(std::initializer_list<std::pair<int32_t, float>> entries, int32_t dim = 0) {
    SparseVector row(heap, dim);
    for (const auto& [index, value] : entries) row.push_back(index, value);
    return row;
}

using Dense = std::map<int32_t, double>;

Dense dense(const SparseVector& x) {
    Dense result;
    for (size_t k = 0; k < x.index.size(); ++k) result[x.index[k]] = static_cast<double>(x.value[k]);
    return result;
}

SparseVector random_row(std::mt19937& random, int nnz, int32_t dim) {
    std::set<int32_t> indices;
    while (static_cast<int>(indices.size()) < nnz)
        indices.insert(std::uniform_int_distribution<int32_t>(0, dim - 1)(random));
    SparseVector row(heap, dim);
    for (const int32_t index : indices)
        row.push_back(index, static_cast<float>(std::uniform_int_distribution<int>(1, 1000)(random)) / 64 *
                                 (random() % 2 == 0 ? 1.0f : -1.0f));
    return row;
}

// Each of them, put into an otherwise good row, must be refused, and for the reason given.
TEST(Validate, names_what_is_wrong) {
    const auto fault = [](const SparseVector& row) { return fault_of([&] { validate(row.row(), never); }); };
    EXPECT_EQ(fault(vector_of({{0, 1.0f}, {2147483646, -1e-45f}})), "");
    EXPECT_EQ(fault(vector_of({{0, 1.0f}, {9, 1.0f}}, 10)), "");
    EXPECT_EQ(fault(vector_of({}, 2147483647)), "");
    EXPECT_EQ(fault(vector_of({{-1, 1.0f}, {9, 1.0f}})), "index 0 is below 1");
    EXPECT_EQ(fault(vector_of({{3, 1.0f}, {3, 1.0f}})), "index 4 appears twice");
    EXPECT_EQ(fault(vector_of({{3, 1.0f}, {2, 1.0f}})), "index 3 comes after index 4");
    EXPECT_EQ(fault(vector_of({{3, 1.0f}, {2147483647, 1.0f}})), "index 2147483648 is too large");
    EXPECT_EQ(fault(vector_of({{3, 1.0f}, {10, 1.0f}}, 10)), "index 11 is beyond the dimension 10");
    EXPECT_EQ(fault(vector_of({{3, 0.0f}})), "the value of index 4 is zero");
    EXPECT_EQ(fault(vector_of({{3, -0.0f}})), "the value of index 4 is zero");
    EXPECT_EQ(fault(vector_of({{0, 1.0f}, {3, nan}})), "the value of index 4 is NaN");
    EXPECT_EQ(fault(vector_of({{0, -infinity}, {3, 1.0f}})), "the value of index 1 is infinite");
    EXPECT_EQ(fault(vector_of({}, -1)), "dimension -1 is out of range");
    EXPECT_THROW(validate(SparseRow{nullptr, nullptr, -1, 0}, never), Error);
}

// Long rows are gone through in pieces: nothing may slip through between two of them.
TEST(Validate, of_a_long_row_sees_all_and_can_be_given_up) {
    constexpr int32_t nnz = 300000;
    SparseVector row(heap);
    for (int32_t k = 0; k < nnz; ++k) row.push_back(2 * k, 1);
    EXPECT_NO_THROW(validate(row.row(), never));
    for (const int32_t place : {1, 65536, 131071, 131072, 131073, 262144, 262145, nnz - 1}) {
        const auto k = static_cast<size_t>(place);
        row.index[k] = row.index[k - 1];
        EXPECT_THROW(validate(row.row(), never), Error) << place;
        row.index[k] = 2 * place;
        row.value[k] = nan;
        EXPECT_THROW(validate(row.row(), never), Error) << place;
        EXPECT_THROW(validate_values(row.row(), 1, never), Error) << place;
        EXPECT_NO_THROW(validate_indices(row.row(), 1, never)) << place;
        row.value[k] = 1;
    }
    const volatile std::sig_atomic_t raised = 1, lowered = 0;
    const StopSign::Flag cancels[] = {&lowered, &raised};
    const StopSign stop(&raised, cancels);
    EXPECT_THROW(validate(row.row(), stop), GivenUp);
    EXPECT_THROW(validate_indices(row.row(), 1, stop), GivenUp);
    EXPECT_THROW(validate_values(row.row(), 1, stop), GivenUp);
    row.value[nnz - 1] = 0;
    EXPECT_THROW(validate_values(row.row(), 1, stop), GivenUp);
}

TEST(Validate, dimensions_meet) {
    EXPECT_EQ(common_dimension(0, 0), 0);
    EXPECT_EQ(common_dimension(0, 7), 7);
    EXPECT_EQ(common_dimension(7, 0), 7);
    EXPECT_EQ(common_dimension(7, 7), 7);
    EXPECT_EQ(fault_of([] { common_dimension(7, 8); }), "different dimensions 7 and 8");
}

TEST(Compare, is_a_total_order_with_equality_of_bits) {
    const SparseVector rows[] = {
        read("{}"),     read("{1:-2}"),    read("{1:-1}"), read("{1:1}"),   read("{1:2}"),
        read("{2:-5}"), read("{1:9,2:9}"), read("{}/1"),   read("{1:1}/1"), read("{2147483647:1}/2147483647")};
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j) EXPECT_EQ(compare(rows[i].row(), rows[j].row()), (i > j) - (i < j)) << i << j;
    const SparseVector odd = vector_of({{0, nan}});
    EXPECT_EQ(compare(odd.row(), odd.row()), 0);
    EXPECT_NE(compare(vector_of({{0, 0.0f}}).row(), vector_of({{0, -0.0f}}).row()), 0);
}

TEST(Compare, sees_all_of_a_long_row) {
    SparseVector row(heap);
    for (int32_t k = 0; k < 140000; ++k) row.push_back(2 * k, 1);
    for (const size_t k : {size_t{65535}, size_t{65536}, size_t{131072}, size_t{139999}}) {
        SparseVector other(heap);
        other.index.assign(row.index.begin(), row.index.end());
        other.value.assign(row.value.begin(), row.value.end());
        EXPECT_EQ(compare(row.row(), other.row()), 0);
        other.value[k] = 2;
        EXPECT_EQ(compare(row.row(), other.row()), -1) << k;
        ++other.index[k];
        EXPECT_EQ(compare(other.row(), row.row()), 1) << k;
    }
}

TEST(Compare, can_be_interrupted) {
    const volatile std::sig_atomic_t raised = 1;
    const SparseVector row = vector_of({{0, 1.0f}, {9, 1.0f}});
    EXPECT_THROW(compare(row.row(), row.row(), StopSign(&raised)), Interrupted);
}

TEST(Builder, sorts_any_number_of_pairs) {
    std::mt19937 random(1);
    for (const int nnz : {0, 1, 2, 100, 2047, 2048, 70000}) {
        const SparseVector sorted = random_row(random, nnz, 2147483647);
        std::vector<size_t> order(sorted.index.size());
        for (size_t k = 0; k < order.size(); ++k) order[k] = k;
        std::shuffle(order.begin(), order.end(), random);
        SparseBuilder builder(heap);
        for (const size_t k : order)
            builder.add(static_cast<int64_t>(sorted.index[k]) + 1, static_cast<double>(sorted.value[k]));
        EXPECT_EQ(builder.finish(2147483647, never).row(), sorted.row()) << nnz;
    }
}

TEST(Builder, finds_a_duplicate_among_many) {
    SparseBuilder builder(heap);
    for (int64_t k = 5000; k > 0; --k) builder.add(k, 1.0);
    builder.add(1234, 0.0);
    EXPECT_EQ(fault_of([&] { builder.finish(0, never); }), "index 1234 appears twice");
}

TEST(Builder, rounds_to_float_or_refuses) {
    const auto fault = [](double value) { return fault_of([=] { SparseBuilder(heap).add(3, value); }); };
    EXPECT_EQ(fault(3.4028234e38), "");
    EXPECT_EQ(fault(1e-45), "");
    expect_contains(fault(3.4028236e38), "index 3 is too large for float4: 3.4028236e+38");
    expect_contains(fault(7e-46), "index 3 is too small for float4: 7e-46");
    expect_contains(fault(std::nan("")), "index 3 is NaN");
    expect_contains(fault(HUGE_VAL), "index 3 is infinite");
    EXPECT_EQ(fault_of([] { SparseBuilder(heap).finish(2147483648, never); }), "dimension 2147483648 is out of range");
}

TEST(Text, reads_and_prints) {
    const std::pair<const char*, const char*> cases[] = {
        {"{1:0.5,7:2}/10", "{1:0.5,7:2}/10"},
        {"{7:2,1:0.5}", "{1:0.5,7:2}"},
        {" {\t1 : +0.5 ,\n 7:2.0}\v/\f10\r ", "{1:0.5,7:2}/10"},
        {"{1:0,2:-0.0,3:0e-999}", "{}"},
        {"{}/2147483647", "{}/2147483647"},
        {"{2147483647:-1.1754944e-38}", "{2147483647:-1.1754944e-38}"},
        {"{+1:.5,2:5.,0003:1E2}", "{1:0.5,2:5,3:100}"},
    };
    for (const auto& [text, printed] : cases) EXPECT_EQ(print(read(text)), printed) << text;
}

TEST(Text, every_float_survives) {
    std::mt19937 random(2);
    SparseVector row(heap);
    for (int32_t index = 0; index < 200000; ++index) {
        const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
        if (std::isfinite(value) && value != 0) row.push_back(index, value);
    }
    const std::string text = print(row);
    EXPECT_LE(text.size(), sparse_text_bound(row.row()));
    EXPECT_EQ(read(text).row(), row.row());
}

TEST(Text, longest_entries_stay_within_the_bound) {
    const float longest = std::bit_cast<float>(0x80800001u);
    const SparseVector row = vector_of({{2147483645, longest}, {2147483646, longest}}, 2147483647);
    EXPECT_LE(print(row).size(), sparse_text_bound(row.row()));
    EXPECT_EQ(read(print(row)).row(), row.row());
}

TEST(Text, refuses_with_the_value_and_the_rule) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "expected \"{\" at the end"},
        {"1:2}", "expected \"{\" at character 1, found \"1:2}\""},
        {"{", "expected an index at the end"},
        {"{1", "expected \":\" at the end"},
        {"{1:", "expected a value at the end"},
        {"{1:2", "expected \",\" or \"}\" at the end"},
        {"{1:2,}", "expected an index at character 6"},
        {"{1:2 3:4}", "expected \",\" or \"}\" at character 6"},
        {"{1:2}}", "expected nothing more at character 6"},
        {"{1:2}/", "expected a dimension at the end"},
        {"{1:2}/1x", "invalid dimension: \"1x\""},
        {"{x:2}", "invalid index: \"x\""},
        {"{1e3:2}", "invalid index: \"1e3\""},
        {"{1:x}", "invalid value of index 1: \"x\""},
        {"{0:1}", "index 0 is below 1"},
        {"{-1:1}", "index -1 is below 1"},
        {"{2147483648:1}", "index 2147483648 is too large"},
        {"{123456789012345678901:1}", "index 123456789012345678901 is too large"},
        {"{5:1,5:1}", "index 5 appears twice"},
        {"{5:0,5:1}", "index 5 appears twice"},
        {"{5:1}/4", "index 5 is beyond the dimension 4"},
        {"{}/0", "dimension 0 is out of range"},
        {"{}/-2", "dimension -2 is out of range"},
        {"{}/2147483648", "dimension 2147483648 is out of range"},
        {"{1:NaN}", "index 1 is NaN"},
        {"{1:+INF}", "index 1 is +INF"},
        {"{1:-infinity}", "index 1 is -infinity"},
        {"{1:1e39}", "too large for float4: 1e39"},
        {"{1:-1e-50}", "too small for float4: -1e-50"},
    };
    for (const auto& [text, message] : cases) expect_contains(fault_of_text(text), message);
}

// Cut anywhere and with any byte replaced: an Error or a valid row, and nothing else.
TEST(Text, damaged_text_is_never_worse_than_an_error) {
    const std::string good = "{1:0.5, 7:-2e3,11:1e-10}/12";
    for (size_t length = 0; length < good.size(); ++length) fault_of_text(std::string_view(good).substr(0, length));
    for (size_t at = 0; at < good.size(); ++at)
        for (int byte = 0; byte < 256; ++byte) {
            std::string bad = good;
            bad[at] = static_cast<char>(byte);
            fault_of([&] { validate(read(bad).row(), never); });
        }
}

TEST(Text, excerpts_are_short_and_free_of_control_characters) {
    const std::string controls = fault_of_text("{1:" + std::string(1000, '\x01') + "\x7f}");
    expect_contains(controls, std::string(40, '?') + "...");
    for (const char c : controls) EXPECT_TRUE(c >= ' ' && c <= '~');

    std::string letters;
    for (int i = 0; i < 30; ++i) letters += "\u00e9";
    expect_contains(fault_of_text("{1:x" + letters + "}"), "x" + letters.substr(0, 38) + "...");
}

TEST(Text, does_not_write_beyond_its_room) {
    const SparseVector row = read("{1:0.5,7:2}/10");
    for (size_t size = 0; size < 14; ++size) {
        std::vector<char> room(size);
        EXPECT_THROW(print_sparse(row.row(), room, never), Error) << size;
    }
    std::vector<char> room(14);
    EXPECT_EQ(print_sparse(row.row(), room, never), 14u);
}

TEST(Text, stops_when_told) {
    volatile std::sig_atomic_t flag = 1;
    const StopSign stop(&flag);
    EXPECT_THROW(parse_sparse("{1:1}", heap, stop), Interrupted);
    const SparseVector row = read("{1:1}");
    EXPECT_THROW(print_sparse(row.row(), heap, stop), Interrupted);
}

std::string encoded(const SparseVector& row) {
    std::string bytes(sparse_wire_size(row.row()), '?');
    encode_sparse(row.row(), bytes.data(), never);
    return bytes;
}

TEST(Binary, is_in_network_order) {
    const std::string bytes = encoded(read("{1:0.5,7:2}/10"));
    EXPECT_EQ(bytes, std::string("\0\0\0\n\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\6\x3f\0\0\0\x40\0\0\0", 28));
}

TEST(Binary, survives_a_round_trip) {
    std::mt19937 random(3);
    for (const int nnz : {0, 1, 17, 5000}) {
        const SparseVector row = random_row(random, nnz, 1 << 20);
        EXPECT_EQ(decode_sparse(encoded(row), heap, never).row(), row.row());
    }
}

TEST(Binary, refuses_what_was_cut_or_mangled) {
    const std::string good = encoded(read("{1:0.5,7:2,9:-3}/10"));
    for (size_t length = 0; length < good.size(); ++length) {
        const std::string cut(good.data(), length);
        EXPECT_THROW(decode_sparse(cut, heap, never), Error) << length;
    }
    EXPECT_THROW(decode_sparse(good + '\0', heap, never), Error);
    const std::pair<size_t, uint32_t> words[] = {{0, 0xffffffff}, {0, 8},           {4, 0xffffffff},  {4, 4},
                                                 {4, 0x7fffffff}, {4, 0x20000003},  {8, 1},           {12, 0xffffffff},
                                                 {12, 6},         {16, 0},          {20, 10},         {20, 0x7fffffff},
                                                 {24, 0},         {24, 0x80000000}, {28, 0x7f800000}, {32, 0x7fc00000}};
    for (const auto& [at, word] : words) {
        std::string bad = good;
        for (size_t k = 0; k < 4; ++k) bad[at + k] = static_cast<char>(word >> (24 - 8 * k));
        try {
            decode_sparse(bad, heap, never);
            ADD_FAILURE() << "accepted " << word << " at " << at;
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::bad_binary);
            EXPECT_STRNE(error.hint(), "");
        }
    }
}

TEST(Binary, any_damaged_byte_gives_an_error_or_a_valid_row) {
    const std::string good = encoded(read("{1:0.5,7:2,9:-3}/10"));
    for (size_t at = 0; at < good.size(); ++at)
        for (int byte = 0; byte < 256; ++byte) {
            std::string bad = good;
            bad[at] = static_cast<char>(byte);
            fault_of([&] { validate(decode_sparse(bad, heap, never).row(), never); });
        }
}

TEST(Math, sums_equal_naive_loops) {
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        const SparseVector a = random_row(random, static_cast<int>(random() % 60), 100);
        const SparseVector b = random_row(random, static_cast<int>(random() % 60), 100);
        double l1 = 0, l2 = 0, largest = 0, inner = 0;
        Dense sum = dense(a), difference = dense(a), other = dense(b);
        for (const auto& [index, value] : dense(a)) {
            l1 += std::fabs(value), l2 += value * value, largest = std::max(largest, std::fabs(value));
            if (other.contains(index)) inner += value * other[index];
        }
        for (const auto& [index, value] : other) sum[index] += value, difference[index] -= value;
        std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
        std::erase_if(difference, [](const auto& entry) { return entry.second == 0; });
        // The values are multiples of 1/64: all these sums are exact.
        EXPECT_EQ(norm(a.row(), Norm::l1, never), l1);
        EXPECT_EQ(norm(a.row(), Norm::l2, never), std::sqrt(l2));
        EXPECT_EQ(norm(a.row(), Norm::max, never), largest);
        EXPECT_EQ(dot(a.row(), b.row(), never), inner);
        EXPECT_EQ(dense(add(a.row(), b.row(), heap, never)), sum);
        EXPECT_EQ(dense(subtract(a.row(), b.row(), heap, never)), difference);
    }
}

// 2^53 absorbs a lone 1 but not two: only the lane order makes these sums come out as they do.
TEST(Math, sums_go_by_four_lanes) {
    const SparseVector ones = read("{1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1}");
    const SparseVector mixed = read("{1:9007199254740992,2:1,3:1,4:1,5:-9007199254740992,6:1,7:1,8:1}");
    EXPECT_EQ(dot(ones.row(), mixed.row(), never), 6.0);
    EXPECT_EQ(norm(read("{1:9007199254740992,2:1,5:1,6:1}").row(), Norm::l1, never), 9007199254740992.0 + 2);
}

TEST(Math, dot_searches_with_the_same_bits) {
    std::mt19937 random(5);
    const SparseVector many = random_row(random, 5000, 10000);
    for (const int nnz : {1, 5, 100, 150, 156, 157, 200, 1000}) {
        const SparseVector few = random_row(random, nnz, 10000);
        double lane[4] = {};
        size_t count = 0;
        Dense other = dense(many);
        for (const auto& [index, value] : dense(few))
            if (other.contains(index)) lane[count++ & 3] += value * other[index];
        const double expected = (lane[0] + lane[1]) + (lane[2] + lane[3]);
        EXPECT_EQ(dot(few.row(), many.row(), never), expected) << nnz;
        EXPECT_EQ(dot(many.row(), few.row(), never), expected) << nnz;
    }
    EXPECT_EQ(dot(read("{}").row(), many.row(), never), 0);
}

TEST(Math, get_finds_each_value) {
    const SparseVector x = read("{2:1.5,7:-2}/9");
    for (int64_t index = 1; index <= 9; ++index)
        EXPECT_EQ(get(x.row(), index), index == 2 ? 1.5f : index == 7 ? -2.0f : 0.0f);
    EXPECT_EQ(get(read("{2147483647:3}").row(), 2147483647), 3.0f);
    expect_contains(fault_of([&] { get(x.row(), 0); }), "index 0 is out of range");
    expect_contains(fault_of([&] { get(x.row(), 10); }), "index 10 is out of range");
}

TEST(Math, normalize_gives_length_one) {
    const auto normal = [](const char* text, Norm which) {
        return print(normalize(read(text).row(), which, heap, never));
    };
    EXPECT_EQ(normal("{1:3,9:-4}/9", Norm::l2), "{1:0.6,9:-0.8}/9");
    EXPECT_EQ(normal("{1:3,9:-5}", Norm::l1), "{1:0.375,9:-0.625}");
    EXPECT_EQ(normal("{1:3,9:-4}", Norm::max), "{1:0.75,9:-1}");
    EXPECT_EQ(normal("{}/5", Norm::l2), "{}/5");
    EXPECT_EQ(normal("{1:1e-45}", Norm::l2), "{1:1}");
    EXPECT_EQ(normal("{1:3e38,2:1e-30}", Norm::max), "{1:1}");
    EXPECT_EQ(norm_by_name("l2"), Norm::l2);
    expect_contains(fault_of([] { norm_by_name("L2"); }), "unknown norm: \"L2\"");
}

TEST(Math, scale_refuses_what_does_not_fit) {
    const auto scaled = [](const char* text, double factor) {
        return print(scale(read(text).row(), factor, heap, never));
    };
    EXPECT_EQ(scaled("{1:1,3:-2}/5", 2.5), "{1:2.5,3:-5}/5");
    EXPECT_EQ(scaled("{1:1}/5", 0), "{}/5");
    expect_contains(fault_of([&] { scaled("{1:1,3:-2e38}", 2); }), "index 3 is too large");
    expect_contains(fault_of([&] { scaled("{1:1,3:1}", 1e300 * 1e8); }), "too large");
    expect_contains(fault_of([&] { scaled("{1:1,3:1e-30}", -1e-30); }), "index 3 is too small");
    expect_contains(fault_of([&] { scaled("{1:1}", std::nan("")); }), "by NaN");
    expect_contains(fault_of([&] { scaled("{}", HUGE_VAL); }), "by infinity");
}

TEST(Math, add_keeps_dimensions_and_drops_zeros) {
    const auto sum = [](const char* a, const char* b) { return print(add(read(a).row(), read(b).row(), heap, never)); };
    EXPECT_EQ(sum("{1:1,3:2}/5", "{3:-2,4:1}"), "{1:1,4:1}/5");
    EXPECT_EQ(sum("{}", "{}"), "{}");
    EXPECT_EQ(sum("{2147483647:1}", "{2147483647:1}"), "{2147483647:2}");
    expect_contains(fault_of([&] { sum("{}/3", "{}/4"); }), "different dimensions 3 and 4");
    expect_contains(fault_of([&] { sum("{5:1}", "{}/4"); }), "index 5 is beyond the dimension 4");
    expect_contains(fault_of([&] { sum("{5:-3e38}", "{5:-3e38}"); }), "index 5 is too large");
}

TEST(Math, append_shifts_by_the_dimension) {
    const auto appended = [](const char* a, const char* b) {
        return print(append(read(a).row(), read(b).row(), heap, never));
    };
    EXPECT_EQ(appended("{1:1}/3", "{2:5}/4"), "{1:1,5:5}/7");
    EXPECT_EQ(appended("{1:1}/3", "{2:5}"), "{1:1,5:5}");
    EXPECT_EQ(appended("{}/1", "{}/2147483646"), "{}/2147483647");
    expect_contains(fault_of([&] { appended("{1:1}", "{2:5}/4"); }), "without a dimension");
    expect_contains(fault_of([&] { appended("{}/2", "{}/2147483646"); }), "reach index 2147483648");
    expect_contains(fault_of([&] { appended("{}/2", "{2147483646:1}"); }), "reach index 2147483648");
}

TEST(Libsvm, reads_a_line) {
    const auto parsed = [](const char* line) {
        const LibsvmLine result = parse_libsvm(line, heap, never);
        if (result.blank) return std::string("blank");
        return std::to_string(result.label) + " " + print(result.features);
    };
    EXPECT_EQ(parsed("+1 3:0.5 7:2"), "1.000000 {3:0.5,7:2}");
    EXPECT_EQ(parsed("\t-1  7:2 3:0.5 4:0 \r\n"), "-1.000000 {3:0.5,7:2}");
    EXPECT_EQ(parsed("2.5 1:1 # 9:9 qid:3"), "2.500000 {1:1}");
    EXPECT_EQ(parsed("1#2:2"), "1.000000 {}");
    EXPECT_EQ(parsed(""), "blank");
    EXPECT_EQ(parsed(" \n"), "blank");
    EXPECT_EQ(parsed("# 1 1:1"), "blank");
}

TEST(Libsvm, refuses_with_the_value_and_the_rule) {
    const std::pair<const char*, const char*> cases[] = {
        {"spam 1:1", "invalid label: \"spam\""},
        {"inf 1:1", "invalid label: \"inf\""},
        {"1e400 1:1", "label 1e400 is out of"},
        {"1,2 1:1", "invalid label: \"1,2\""},
        {"1 2", "invalid pair: \"2\""},
        {"1 2:", "invalid value of index 2"},
        {"1 :2", "invalid index: \"\""},
        {"1 2:3:4", "invalid value of index 2: \"3:4\""},
        {"1 0:2", "index 0 is below 1"},
        {"1 3:1 3:1", "index 3 appears twice"},
        {"1 3:1e39", "too large for float4: 1e39"},
        {"1 qid:4 3:1", "ranking group \"qid:4\""},
    };
    for (const auto& [line, message] : cases)
        expect_contains(fault_of([&, line = line] { parse_libsvm(line, heap, never); }), message);
}

}  // namespace
}  // namespace sparselin
