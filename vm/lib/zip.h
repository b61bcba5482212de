// Archives of files in memory, by libzip, where it is: .npz is one of .npy files.
#pragma once

#include <string>
#include <vector>

namespace nvm::vm {

struct ZipMember {
  std::string name, bytes;
};

// Why archives can be neither read nor written; "" if they can.
[[nodiscard]] std::string zip_missing();
// All files of it, in order, whose sums are right. Throws Fault kIo, with the path.
[[nodiscard]] std::vector<ZipMember> read_zip(const std::string& bytes, const std::string& path);
// An archive of them, not compressed. Throws Fault kIo, with the path.
[[nodiscard]] std::string write_zip(const std::vector<ZipMember>& members, const std::string& path);

}  // namespace nvm::vm
