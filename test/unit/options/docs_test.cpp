// The documentation's table of options is the one that the code prints. Run from the repository's root.
#include "options/options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory_resource>
#include <sstream>
#include <string>

namespace sparselin {
namespace {

std::string page(const char* path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Docs, ReferenceHasTheTableOfOptions) {
    const std::string reference = page("docs/reference.md");
    ASSERT_FALSE(reference.empty()) << "docs/reference.md cannot be read; run the tests from the repository's root";
    const String table = options_markdown(std::pmr::new_delete_resource());
    const size_t at = reference.find("\n" + std::string(table) + "\n");
    EXPECT_NE(at, std::string::npos) << "docs/reference.md should have this table, between empty lines:\n\n" << table;
}

}  // namespace
}  // namespace sparselin
