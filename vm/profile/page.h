// The parts of the page of a profile: the files report.html, report.css and report.js of vm/profile/page.
#pragma once

#include <string_view>

namespace nvm::vm {

[[nodiscard]] std::string_view page_html();
[[nodiscard]] std::string_view page_css();
[[nodiscard]] std::string_view page_js();

}  // namespace nvm::vm
