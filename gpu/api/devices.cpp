#include "gpu/api/devices.h"

#include "gpu/api/driver.h"
#include "gpu/api/nvrtc.h"

namespace nvm::gpu {

namespace {

// Attribute numbers of the driver's interface.
constexpr int kMultiprocessors = 16;
constexpr int kArchMajor = 75;
constexpr int kArchMinor = 76;

std::string version_text(const Driver& driver) {
  int version = 0;
  if (driver.driver_version(&version) != 0) return "of unknown version";
  return "for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::vector<DeviceInfo> find_devices(std::string& reason) {
  std::vector<DeviceInfo> devices;
  const Driver* driver = load_driver(reason);
  if (driver == nullptr) return devices;
  int count = 0;
  if (const int e = driver->device_count(&count); e != 0) {
    reason = driver->error(e);
    return devices;
  }
  for (int i = 0; i < count; ++i) {
    Device handle = 0;
    if (driver->device_get(&handle, i) != 0) continue;
    DeviceInfo d;
    char name[256] = {};
    int major = 0;
    int minor = 0;
    driver->device_name(name, sizeof name, handle);
    driver->device_memory(&d.memory, handle);
    driver->device_attribute(&d.multiprocessors, kMultiprocessors, handle);
    driver->device_attribute(&major, kArchMajor, handle);
    driver->device_attribute(&minor, kArchMinor, handle);
    d.ordinal = i;
    d.name = name;
    d.arch = major * 10 + minor;
    devices.push_back(std::move(d));
  }
  if (devices.empty()) reason = "the driver shows no device";
  return devices;
}

std::string describe_devices() {
  std::string reason;
  std::string out;
  const Driver* driver = load_driver(reason);
  out += driver != nullptr ? "driver:  " + driver->path + " " + version_text(*driver) + "\n"
                           : "driver:  " + reason + "\n";
  std::string words;
  const bool compiles = nvrtc_available(words);
  out += "nvrtc:   " + words + "\n";
  const std::vector<DeviceInfo> devices = find_devices(reason);
  for (const DeviceInfo& d : devices)
    out += "device " + std::to_string(d.ordinal) + ": " + d.name + ", compute capability " +
           std::to_string(d.arch / 10) + "." + std::to_string(d.arch % 10) + ", " +
           std::to_string(d.memory >> 20) + " MiB, " + std::to_string(d.multiprocessors) +
           " multiprocessors\n";
  if (devices.empty())
    out += "devices: none; programs run on the CPU\n";
  else if (!compiles)
    out += "programs run on the CPU: nothing can be compiled for the device\n";
  return out;
}

}  // namespace nvm::gpu
