// Why regions end, in words.
#include "vm/trace/recorder.h"

namespace nvm::vm {

const char* stop_text(RegionStop stop) {
  static constexpr const char* kTexts[] = {
#define STOP(id, name, text) text,
#include "vm/trace/stop.def"
  };
  return kTexts[static_cast<int>(stop)];
}

const char* stop_name(RegionStop stop) {
  static constexpr const char* kNames[] = {
#define STOP(id, name, text) name,
#include "vm/trace/stop.def"
  };
  return kNames[static_cast<int>(stop)];
}

}  // namespace nvm::vm
