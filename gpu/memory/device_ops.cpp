#include "gpu/memory/device_ops.h"

#include <algorithm>
#include <map>
#include <span>

namespace nvm::gpu {

std::vector<std::size_t> previous_of_lane(const std::vector<DeviceOp>& ops) {
  std::map<int, std::size_t> last;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    out.push_back(last.try_emplace(ops[i].lane, i).first->second);
    last[ops[i].lane] = i;
  }
  return out;
}

std::string shape_of(const std::vector<DeviceOp>& ops) {
  std::string text;
  const auto add = [&](auto number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (const DeviceOp& op : ops) {
    add(op.kind);
    add(op.lane);
    add(op.kernel);
    add(op.blocks);
    add(op.threads);
    add(op.shared_bytes);
    add(op.bytes);
    add(op.words.size());
    add(op.after.size());
    for (const std::size_t a : op.after) add(a);
  }
  return text;
}

NodeParameters::NodeParameters(const DeviceOp& op) : words(const_cast<std::uint64_t*>(op.words.data())) {
  switch (op.kind) {
    case DeviceOp::Kind::kLaunch:
      kernel.kernel = op.kernel;
      kernel.grid[0] = op.blocks;
      kernel.block[0] = op.threads;
      kernel.shared_bytes = op.shared_bytes;
      kernel.parameters = &words;
      break;
    case DeviceOp::Kind::kFill:
      fill.to = op.words[0];
      fill.value = static_cast<unsigned>(op.words[1]);
      fill.width = op.bytes;
      break;
    case DeviceOp::Kind::kCopy:
      copy.to.device = op.words[0];
      copy.from.device = op.words[1];
      copy.width = op.bytes;
      break;
  }
}

}  // namespace nvm::gpu
