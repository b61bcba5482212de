// System calls that wait end where a run is to stop.
#pragma once

namespace nvm::cmd {

// Signals that come again and again, while somebody wants them: one alone would be lost on a program that was
// just about to wait.
class Wakes {
 public:
  static void prepare();  // before the others, which signal handlers may call
  static void begin();
  static void end();  // as often as begin()
};

}  // namespace nvm::cmd
