// What is typed at the prompt, in the line editor's memory and in its file.
#pragma once

#include <string>

namespace nvm::cmd {

class History {
 public:
  // Reads what is in the file; makes one if there is none.
  explicit History(std::string path);
  // Adds a line, to the file at once: whatever ends this session, or another one beside it, nothing is lost.
  void add(const std::string& line);
  // Whether all lines are in the file.
  [[nodiscard]] bool kept() const { return kept_; }

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace nvm::cmd
