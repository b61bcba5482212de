// Bytes of host memory whose valid copy may stand on a device. Engines make these, vectors hold them.
#pragma once

#include <string>

namespace nvm {

// Thread-safe.
class Remote {
 public:
  Remote() = default;
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  virtual ~Remote() = default;
  // Makes the host memory valid; nothing if it is. False if the bytes are lost; `why` then says so in words.
  [[nodiscard]] virtual bool fetch(std::string& why) = 0;
  // The host memory goes, or only the host will write it: it is never touched again from here.
  virtual void leave() = 0;
};

}  // namespace nvm
