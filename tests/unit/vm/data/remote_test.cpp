// Elements that stand on a device come home when somebody looks, once; who writes forgets the device's copy.
#include <catch2/catch.hpp>
#include <cstring>

#include "vm/data/pool.h"
#include "vm/data/value.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// A device that has 7, 7, 7, ...
class Sevens final : public Remote {
 public:
  Sevens(std::int64_t* home, std::int64_t length, bool works) : home_(home), length_(length), works_(works) {}
  bool fetch(std::string& why) override {
    ++asked;
    if (!works_) why = "the device is gone";
    for (std::int64_t i = 0; works_ && asked == 1 && i < length_; ++i) home_[i] = 7;
    return works_;
  }
  void leave() override { left = true; }
  int asked = 0;
  bool left = false;

 private:
  std::int64_t* home_;
  std::int64_t length_;
  bool works_;
};

struct OnDevice {
  explicit OnDevice(bool works = true)
      : vector(pool.vector(Storage::kI64, 100)),
        remote(std::make_shared<Sevens>(reinterpret_cast<std::int64_t*>(vector.place()), 100, works)) {
    attach_remote(*vector.buffer().get(), remote);
  }
  Pool pool;
  Vector vector;
  std::shared_ptr<Sevens> remote;
};

}  // namespace

TEST_CASE("elements come home when somebody looks") {
  OnDevice d;
  CHECK(d.vector.place() != nullptr);
  CHECK(d.remote->asked == 0);
  CHECK(d.vector.int_at(99) == 7);
  CHECK(d.vector.first(10).int_at(3) == 7);
  CHECK(d.remote->asked > 0);
  CHECK(remote_of(*d.vector.buffer().get()) == d.remote);
}

TEST_CASE("a vector that stands on a device is not overwritten in place") {
  OnDevice d;
  CHECK_FALSE(d.vector.unique());
  d.vector.mutable_data<std::int64_t>()[0] = 1;
  CHECK(d.remote->left);
  CHECK(remote_of(*d.vector.buffer().get()) == nullptr);
  CHECK(d.vector.unique());
  CHECK(d.vector.int_at(0) == 1);
}

TEST_CASE("only the first copy is kept") {
  OnDevice d;
  attach_remote(*d.vector.buffer().get(), std::make_shared<Sevens>(nullptr, 0, false));
  CHECK(d.vector.int_at(5) == 7);
}

TEST_CASE("a copy goes with its vector, and not into the next one") {
  OnDevice d;
  d.vector = {};
  CHECK(d.remote->left);
  const Vector next = d.pool.vector(Storage::kI64, 100);
  CHECK(remote_of(*next.buffer().get()) == nullptr);
}

TEST_CASE("elements that are lost are a fault that says why") {
  const OnDevice d(false);
  try {
    static_cast<void>(d.vector.int_at(0));
    FAIL("no fault");
  } catch (const Fault& fault) {
    CHECK(fault.kind == Fault::Kind::kDevice);
    CHECK(fault.message == "the device is gone");
  }
}
