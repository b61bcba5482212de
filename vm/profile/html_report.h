// A profile as one page that needs nothing else. Its text stands in vm/profile/page and becomes part of the
// library.
#pragma once

#include <string>

#include "vm/interp/gate.h"
#include "vm/profile/report.h"

namespace nvm::vm {

// `events` is a JSON array of trace events, or "". Sources are read from the files that the profile names,
// where they can be read and the gate lets them: VCODE may name any file as its source.
[[nodiscard]] std::string report_html(const Profile& profile, const Report& report, const std::string& events,
                                      const std::string& title, const Gate& gate);

}  // namespace nvm::vm
