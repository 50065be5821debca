// The picture of a history: XML that is well-formed, on one line, and within its frame whatever the numbers.
#include "apply/history_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sparselin {
namespace {

const Memory heap = std::pmr::new_delete_resource();

std::string plot_of(const std::vector<HistoryPoint>& history) {
    Model model(heap);
    model.history.assign(history.begin(), history.end());
    return std::string(plot_history(model, heap));
}

// Elements that are closed in their order, attributes in quotes, no stray character.
bool well_formed(std::string_view xml) {
    std::vector<std::string_view> open;
    while (!xml.empty()) {
        if (xml.front() != '<') {
            const size_t text = xml.find_first_of("<>&\"");
            if (open.empty() || text == std::string_view::npos) return false;
            xml.remove_prefix(text);
            if (xml.front() != '<') return false;
        }
        const size_t end = xml.find('>');
        if (end == std::string_view::npos) return false;
        const std::string_view tag = xml.substr(1, end - 1);
        xml.remove_prefix(end + 1);
        if (std::ranges::count(tag, '"') % 2 != 0 || tag.find_first_of("<&") != std::string_view::npos) return false;
        if (std::ranges::count(tag, '=') * 2 > std::ranges::count(tag, '"')) return false;
        const std::string_view name = tag.substr(0, tag.find(' '));
        if (name.starts_with('/')) {
            if (open.empty() || open.back() != name.substr(1)) return false;
            open.pop_back();
            if (open.empty()) return xml.empty();
        } else if (!tag.ends_with('/')) {
            open.push_back(name);
        }
    }
    return false;
}

std::vector<std::pair<double, double>> circles_of(const std::string& svg) {
    std::vector<std::pair<double, double>> places;
    for (size_t at = svg.find("<circle "); at != std::string::npos; at = svg.find("<circle ", at + 1)) {
        double x = 0, y = 0;
        EXPECT_EQ(std::sscanf(svg.c_str() + at, "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y), 2);
        places.emplace_back(x, y);
    }
    return places;
}

TEST(HistoryPlot, IsWellFormedAndInItsFrame) {
    const double most = 1.7976931348623157e308, least = 5e-324;
    std::vector<HistoryPoint> longest;
    for (int i = 0; i < 54; ++i) longest.push_back({int64_t{1} << i, std::exp(-i)});
    const std::vector<HistoryPoint> histories[] = {
        {},
        {{1, 0.7}},
        {{1, 0}},
        {{1, 0}, {2, 0}, {3, 0}},
        {{1, 0.25}, {2, 0.25}, {4, 0.25}},
        {{1, most}, {2, most}},
        {{1, -most}, {2, most}, {most_counted, 0}},
        {{1, least}, {2, 0}},
        {{1, least}, {2, most}},
        {{1, most}, {2, 1e-299}, {40000000, 1}},
        {{1, -3}, {2, -1e-5}},
        {{1, 1e6}, {2, 1}, {3, 17}},
        {{1, 0.99}, {2, 1}, {3, 1.01}},
        longest,
    };
    for (const auto& history : histories) {
        const std::string svg = plot_of(history);
        SCOPED_TRACE(svg);
        EXPECT_TRUE(well_formed(svg));
        EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
        EXPECT_EQ(svg.find('\n'), std::string::npos);
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_EQ(svg.find("inf"), std::string::npos);
        EXPECT_LT(svg.size(), 20000u);
        const auto circles = circles_of(svg);
        ASSERT_EQ(circles.size(), history.size());
        for (size_t i = 0; i < circles.size(); ++i) {
            EXPECT_TRUE(circles[i].first >= 80 && circles[i].first <= 620);
            EXPECT_TRUE(circles[i].second >= 48 && circles[i].second <= 340);
            EXPECT_TRUE(i == 0 || circles[i].first >= circles[i - 1].first);
        }
    }
    EXPECT_FALSE(well_formed("<svg><g></svg>"));
    EXPECT_FALSE(well_formed("<svg>&</svg>"));
    EXPECT_FALSE(well_formed("<svg a=\"1></svg>"));
}

// Equal factors of steps are equally far apart; the loss goes up evenly from 0, or by powers of ten.
TEST(HistoryPlot, PutsPointsWhereTheyBelong) {
    const auto even = circles_of(plot_of({{1, 1}, {2, 0.5}, {4, 0.25}, {16, 0.5}}));
    EXPECT_NEAR(even[1].first - even[0].first, even[2].first - even[1].first, 0.2);
    EXPECT_NEAR(even[3].first - even[2].first, 2 * (even[1].first - even[0].first), 0.2);
    EXPECT_NEAR(even[1].second - even[0].second, 2 * (even[2].second - even[1].second), 0.2);
    EXPECT_EQ(even[3].second, even[1].second);
    const auto powers = circles_of(plot_of({{1, 1000}, {2, 10}, {3, 0.1}}));
    EXPECT_NEAR(powers[1].second - powers[0].second, powers[2].second - powers[1].second, 0.2);
    const std::string flat = plot_of({{1, 0.25}});
    EXPECT_NE(flat.find(">0.25</text>"), std::string::npos);
    EXPECT_NE(flat.find("<title>step 1: 0.25</title>"), std::string::npos);
    EXPECT_NE(plot_of({}).find("no history"), std::string::npos);
}

}  // namespace
}  // namespace sparselin
