// The layout of NESL programs. It is a function of the words of a text, of where its lines break (of several
// empty ones one stays), and of blanks in front of comments and of {: none of these is changed, so that
// formatting twice is formatting once. All lines end as the first does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/edit/document.h"

namespace nvm::edit {

// Comments and meaning stay: each form is read back and compared. Forms with mistakes are left as they are.
[[nodiscard]] Formatted format_nesl(const std::string& text);
// The same for each block of NESL of a Markdown text, but those whose fences are indented.
[[nodiscard]] Formatted format_blocks(const std::string& text);

}  // namespace nvm::edit
