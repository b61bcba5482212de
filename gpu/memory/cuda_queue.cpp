#include "gpu/memory/cuda_queue.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace nvm::gpu {

namespace {

Address take_again(OpenDevice& device, std::vector<Address>& memories, std::size_t bytes) {
  for (auto it = memories.begin(); it != memories.end(); ++it) {
    const std::size_t room = device.room(*it);
    if (room < bytes || room > 2 * bytes + 4096) continue;
    const Address a = *it;
    memories.erase(it);
    return a;
  }
  return 0;
}

}  // namespace

Notes::~Notes() {
  if (memory_ != nullptr) device_.give_note(memory_);
}

std::byte* Notes::room(std::size_t bytes) {
  if (bytes > OpenDevice::kNoteBytes - used_) return nullptr;
  if (memory_ == nullptr) memory_ = device_.take_note();
  return memory_ == nullptr ? nullptr : memory_ + std::exchange(used_, used_ + (bytes + 15) / 16 * 16);
}

void Notes::deliver(bool good) {
  for (const Note& n : std::exchange(expected_, {}))
    if (good) std::memcpy(n.to, n.from, n.bytes);
  used_ = 0;
}

CudaQueue::CudaQueue(std::shared_ptr<OpenDevice> device, const LoadedModule& module)
    : device_(std::move(device)), module_(module), notes_(*device_) {
  device_->enter();
  static_cast<void>(stream(0));
}

CudaQueue::~CudaQueue() {
  flush();
  if (busy_) static_cast<void>(device_->driver().stream_wait(stream(0)));
  for (const Address a : spare_) device_->release(a);
  for (const Event e : {begin_, end_})
    if (e != nullptr) static_cast<void>(device_->driver().event_destroy(e));
  for (const std::vector<Event>* events : {&marks_, &events_, &used_events_})
    for (const Event e : *events)
      if (e != nullptr) static_cast<void>(device_->driver().event_destroy(e));
  for (const Stream s : streams_)
    if (s != nullptr) device_->give_stream(s);
  for (const auto& vector : pinned_) vector->unpin();
}

// Want of memory, which a launch may meet, too, leaves the device whole: the run is given up.
void CudaQueue::note(int code, const std::string& doing) {
  if (code == OpenDevice::kOutOfMemory)
    short_of_memory_ = true;
  else if (code != 0 && error_.empty())
    error_ = doing + ": " + device_->driver().error(code);
}

Stream CudaQueue::stream(int lane) {
  const auto at = static_cast<std::size_t>(lane);
  if (at >= streams_.size()) streams_.resize(at + 1, nullptr);
  if (streams_[at] == nullptr) note(device_->take_stream(streams_[at]), "making a stream");
  return streams_[at];
}

// ---- memory: of the first lane's stream; a lane takes again what it has freed, or any has before the last
// flush

Address CudaQueue::allocate(std::size_t bytes) {
  if (const Address a = take_again(*device_, freed_[lane_], bytes); a != 0) return a;
  if (const Address a = take_again(*device_, spare_, bytes); a != 0) return a;
  if (const Address a = device_->take_kept(bytes); a != 0) return a;
  DevicePointer p = 0;
  int code = device_->driver().allocate_async(&p, bytes, stream(0));
  while (code == OpenDevice::kOutOfMemory) {
    flush();
    static_cast<void>(device_->driver().stream_wait(stream(0)));
    for (const Address a : std::exchange(spare_, {})) device_->release(a);
    if (!device_->make_room(bytes)) return 0;
    code = device_->driver().allocate_async(&p, bytes, stream(0));
  }
  note(code, "taking memory");
  busy_ = true;  // it is there in the order of the stream
  if (code == 0) device_->note_taken(p, bytes);
  return code == 0 ? p : 0;
}

void CudaQueue::free(Address memory) { (asked_.empty() ? spare_ : freed_[lane_]).push_back(memory); }

Address CudaQueue::bring(std::shared_ptr<Remote>& remote, const void* data, std::size_t bytes) {
  auto vector = std::dynamic_pointer_cast<DeviceVector>(remote);
  Address memory = vector != nullptr && vector->on(*device_) ? vector->pin(data, bytes) : 0;
  if (memory == 0) {  // elsewhere, or another part of the same memory
    std::string why;
    if (remote != nullptr && !remote->fetch(why)) return 0;
    vector = std::make_shared<DeviceVector>(device_, data, bytes);
    memory = vector->pin(data, bytes);
    if (memory != 0 && remote == nullptr) remote = vector;
  }
  if (memory != 0) pinned_.push_back(std::move(vector));
  return memory;
}

void CudaQueue::keep(std::shared_ptr<Remote>& remote, Address memory, void* data, std::size_t bytes) {
  auto vector = std::make_shared<DeviceVector>(device_, data, bytes, memory);
  vector->hold();
  remote = vector;
  pinned_.push_back(std::move(vector));
}

bool CudaQueue::share(std::shared_ptr<Remote>& remote, Address memory, void* data, std::size_t bytes) {
  keep(remote, memory, data, bytes);
  return true;
}

void CudaQueue::upload(Address to, const void* from, std::size_t bytes) {
  flush();
  if (std::byte* const room = notes_.room(bytes); room != nullptr) {
    std::memcpy(room, from, bytes);
    from = room;
  }
  busy_ = true;
  note(device_->driver().copy_in(to, from, bytes, stream(0)), "copying to the device");
}

void CudaQueue::download(void* to, Address from, std::size_t bytes) {
  flush();
  if (std::byte* const room = notes_.room(bytes); room != nullptr) {
    notes_.expect(to, room, bytes);
    to = room;
  }
  busy_ = true;
  note(device_->driver().copy_out(to, from, bytes, stream(0)), "copying from the device");
}

// ---- work for the device

void CudaQueue::copy(Address to, Address from, std::size_t bytes) {
  DeviceOp op;
  op.kind = DeviceOp::Kind::kCopy;
  op.words = {to, from};
  op.bytes = bytes;
  op.doing = "copying on the device";
  ask(std::move(op));
}
void CudaQueue::clear(Address memory, std::size_t bytes) {
  DeviceOp op;
  op.kind = DeviceOp::Kind::kFill;
  op.words = {memory, 0};
  op.bytes = bytes;
  op.doing = "clearing memory";
  ask(std::move(op));
}
void CudaQueue::launch(const std::string& entry, std::int64_t blocks, int threads,
                       std::span<const std::uint64_t> words, unsigned shared_bytes) {
  DeviceOp op;
  if (const int code = module_.find(entry, op.kernel); code != 0) return note(code, "loading " + entry);
  if (blocks > std::numeric_limits<std::int32_t>::max()) {
    if (error_.empty()) error_ = "launching " + entry + ": too many blocks";
    return;
  }
  op.blocks = static_cast<unsigned>(blocks);
  op.threads = static_cast<unsigned>(threads);
  op.shared_bytes = shared_bytes;
  op.words.assign(words.begin(), words.end());
  op.doing = "launching " + entry;
  ask(std::move(op));
}

void CudaQueue::after(int other) {
  if (other != lane_) then_.push_back(other);
}

void CudaQueue::ask(DeviceOp op) {
  op.lane = lane_;
  for (const int other : std::exchange(then_, {})) {
    const auto last = std::find_if(asked_.rbegin(), asked_.rend(),
                                   [&](const DeviceOp& before) { return before.lane == other; });
    // What has been passed on comes before all that follows.
    if (last != asked_.rend()) op.after.push_back(static_cast<std::size_t>(asked_.rend() - last) - 1);
  }
  asked_.push_back(std::move(op));
}

void CudaQueue::flush() {
  pass_on();
  for (const auto& [lane, memories] : std::exchange(freed_, {}))
    spare_.insert(spare_.end(), memories.begin(), memories.end());
}

void CudaQueue::pass_on() {
  if (asked_.empty()) return;
  busy_ = true;
  if (!pass_on_graph()) pass_on_streams();
  asked_.clear();
}

bool CudaQueue::pass_on_graph() {
  if (!marks_.empty() || timing_) return false;  // watched one by one
  std::string shape = shape_of(asked_);
  auto graph = module_.graphs().take(device_->driver(), device_->context(), asked_, shape);
  if (graph == nullptr || graph->launch(asked_, stream(0)) != 0) return false;
  running_.emplace_back(std::move(shape), std::move(graph));
  return true;
}

Event CudaQueue::event() {
  Event e = nullptr;
  if (!events_.empty()) {
    e = events_.back();
    events_.pop_back();
  } else {
    constexpr unsigned kNoTiming = 2;
    note(device_->driver().event_create(&e, kNoTiming), "making an event");
  }
  used_events_.push_back(e);
  return e;
}

void CudaQueue::order(Stream first, Stream then, Event between) {
  note(device_->driver().event_record(between, first), "recording an event");
  note(device_->driver().stream_after(then, between, 0), "ordering streams");
}

void CudaQueue::pass_on_streams() {
  std::vector<int> others;
  std::vector<Event> done(asked_.size(), nullptr);  // of those that others come after
  for (const DeviceOp& op : asked_) {
    if (op.lane != 0 && std::find(others.begin(), others.end(), op.lane) == others.end())
      others.push_back(op.lane);
    for (const std::size_t a : op.after)
      if (done[a] == nullptr) done[a] = event();
  }
  for (const int lane : others) order(stream(0), stream(lane), event());
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const Stream here = stream(asked_[i].lane);
    for (const std::size_t a : asked_[i].after)
      note(device_->driver().stream_after(here, done[a], 0), "ordering streams");
    issue(asked_[i]);
    if (done[i] != nullptr) note(device_->driver().event_record(done[i], here), "recording an event");
  }
  for (const int lane : others) order(stream(lane), stream(0), event());
  events_.insert(events_.end(), used_events_.begin(), used_events_.end());
  used_events_.clear();
}

void CudaQueue::issue(const DeviceOp& op) {
  const Driver& driver = device_->driver();
  const Stream here = stream(op.lane);
  int code = 0;
  switch (op.kind) {
    case DeviceOp::Kind::kLaunch: {
      void* parameters[] = {const_cast<std::uint64_t*>(op.words.data())};
      code = driver.launch(op.kernel, op.blocks, 1, 1, op.threads, 1, 1, op.shared_bytes, here, parameters,
                           nullptr);
      break;
    }
    case DeviceOp::Kind::kFill:
      code = driver.fill8(op.words[0], static_cast<unsigned char>(op.words[1]), op.bytes, here);
      break;
    case DeviceOp::Kind::kCopy: code = driver.copy_within(op.words[0], op.words[1], op.bytes, here); break;
  }
  note(code, op.doing);
}

std::size_t CudaQueue::mark() {
  flush();
  Event event = nullptr;
  const Driver& driver = device_->driver();
  if (driver.event_create(&event, 0) == 0 && driver.event_record(event, stream(0)) != 0) {
    static_cast<void>(driver.event_destroy(event));
    event = nullptr;
  }
  marks_.push_back(event);
  return marks_.size() - 1;
}

// A time that cannot be told is no error of the run.
double CudaQueue::seconds_at(std::size_t mark) {
  float milliseconds = 0;
  if (marks_.front() == nullptr || marks_[mark] == nullptr ||
      device_->driver().event_elapsed(&milliseconds, marks_.front(), marks_[mark]) != 0)
    return -1;
  return static_cast<double>(milliseconds) * 1e-3;
}

void CudaQueue::begin_timing() {
  if (timing_) return;
  flush();
  timing_ = true;
  if (begin_ == nullptr) note(device_->driver().event_create(&begin_, 0), "making an event");
  note(device_->driver().event_record(begin_, stream(0)), "recording an event");
}

void CudaQueue::end_timing() {
  flush();
  if (end_ == nullptr) note(device_->driver().event_create(&end_, 0), "making an event");
  note(device_->driver().event_record(end_, stream(0)), "recording an event");
}

double CudaQueue::seconds() {
  timing_ = false;
  float milliseconds = 0;
  if (begin_ != nullptr && end_ != nullptr)
    note(device_->driver().event_elapsed(&milliseconds, begin_, end_), "reading events");
  return static_cast<double>(milliseconds) * 1e-3;
}

bool CudaQueue::wait() {
  flush();
  if (std::exchange(busy_, false)) note(device_->driver().stream_wait(stream(0)), "running kernels");
  const bool good = error_.empty() && !short_of_memory_;
  notes_.deliver(good);
  for (auto& [shape, graph] : std::exchange(running_, {}))
    if (good) module_.graphs().give(shape, std::move(graph));
  return good;
}

}  // namespace nvm::gpu
