#include "gpu/order_engine.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "gpu/api/nvtx.h"
#include "gpu/memory/cuda_queue.h"

namespace nvm::gpu {

namespace {

const char* const kText =
#include <order_text.inc>
    ;

using Word = std::uint64_t;
constexpr std::int64_t kTile = 4096;  // elements of a block in a pass; see order.cuh
constexpr int kThreads = 256;
constexpr std::size_t kCells = 32;
constexpr Word kTickets = 2;  // the first cell of them

std::size_t key_bytes(OrderTask::Keys keys) {
  return keys == OrderTask::Keys::kI8 ? 1 : keys == OrderTask::Keys::kI32 ? 4 : 8;
}

// One task on one queue.
class OrderRun {
 public:
  OrderRun(OrderTask& task, CudaQueue& queue)
      : task_(task), queue_(queue), n_(static_cast<Word>(task.count)) {}
  ~OrderRun() {
    static_cast<void>(queue_.wait());
    for (const Address a : owned_) queue_.free(a);
  }
  OrderRun(const OrderRun&) = delete;
  OrderRun& operator=(const OrderRun&) = delete;

  bool run() { return bind() && find_range() && make_words() && count_digits() && sort() && finish(); }

 private:
  // Null once there was no memory.
  Address take(std::size_t bytes) {
    const Address a = queue_.allocate(std::max<std::size_t>(bytes, 8));
    if (a != 0) owned_.push_back(a);
    return a;
  }
  void launch(const char* entry, std::initializer_list<Word> words, std::int64_t most_blocks = 2048) {
    const std::int64_t blocks = (task_.count + kThreads * 8 - 1) / (kThreads * 8);
    queue_.launch(entry, std::clamp<std::int64_t>(blocks, 1, most_blocks), kThreads,
                  std::span(words.begin(), words.size()), 0);
  }
  [[nodiscard]] Word kind() const { return static_cast<Word>(task_.keys); }
  [[nodiscard]] Word down() const { return task_.down ? 1 : 0; }

  bool bind() {
    keys_ = queue_.bring(task_.from_remote, task_.from, n_ * key_bytes(task_.keys));
    if (task_.offsets != nullptr && task_.segments > 1)
      offsets_ = queue_.bring(task_.offsets_remote, task_.offsets,
                              8 * (static_cast<std::size_t>(task_.segments) + 1));
    cells_ = take(8 * kCells);
    return keys_ != 0 && cells_ != 0 && (offsets_ != 0 || task_.offsets == nullptr || task_.segments <= 1);
  }

  bool find_range() {
    queue_.clear(cells_, 8 * kCells);
    launch("nvm_order_range", {cells_, keys_, n_, kind()}, 512);
    Word range[2] = {};
    queue_.download(range, cells_, sizeof range);
    if (!queue_.wait()) return false;
    high_ = range[0];
    low_ = ~range[1];
    key_bits_ = static_cast<int>(std::bit_width(high_ - low_));
    segment_bits_ =
        static_cast<int>(std::bit_width(static_cast<Word>(std::max<std::int64_t>(task_.segments, 1)) - 1));
    packed_ = key_bits_ + segment_bits_ <= 64;
    return true;
  }

  bool make_words() {
    words_ = take(8 * n_);
    spare_words_ = take(8 * n_);
    if (words_ == 0 || spare_words_ == 0) return false;
    if (task_.ranks || !packed_) {
      index_ = take(4 * n_);
      spare_index_ = take(4 * n_);
      if (index_ == 0 || spare_index_ == 0) return false;
    }
    if (!packed_) ids_ = take(8 * n_);
    if (!packed_ && ids_ == 0) return false;
    launch("nvm_order_words", {cells_, keys_, n_, kind(), down(), low_, high_, words_, index_, ids_, offsets_,
                               static_cast<Word>(task_.segments), static_cast<Word>(task_.regular_length),
                               static_cast<Word>(key_bits_)});
    return true;
  }

  // Digits of the words come first, then those of ids.
  bool count_digits() {
    const auto digits = [](int bits) { return static_cast<Word>((bits + 7) / 8); };
    word_passes_ = digits(packed_ ? key_bits_ + segment_bits_ : key_bits_);
    passes_ = word_passes_ + (packed_ ? 0 : digits(segment_bits_));
    if (passes_ == 0) return true;
    counts_ = take(8 * 256 * passes_);
    if (counts_ == 0) return false;
    queue_.clear(counts_, 8 * 256 * passes_);
    if (word_passes_ > 0) launch("nvm_order_count", {cells_, words_, n_, word_passes_, counts_}, 1024);
    if (passes_ > word_passes_)
      launch("nvm_order_count", {cells_, ids_, n_, passes_ - word_passes_, counts_ + 8 * 256 * word_passes_},
             1024);
    const Word words[] = {cells_, counts_};
    queue_.launch("nvm_order_starts", static_cast<std::int64_t>(passes_), kThreads, words, 0);
    return true;
  }

  bool sort() {
    const std::int64_t tiles = (task_.count + kTile - 1) / kTile;
    const Address state = passes_ == 0 ? 0 : take(static_cast<std::size_t>(tiles) * 256 * 8);
    if (passes_ > 0 && state == 0) return false;
    for (Word p = 0; p < passes_; ++p) {
      const bool by_id = p >= word_passes_;
      queue_.clear(state, static_cast<std::size_t>(tiles) * 256 * 8);
      const Word words[] = {cells_,
                            kTickets + p,
                            words_,
                            index_,
                            spare_words_,
                            spare_index_,
                            n_,
                            8 * (by_id ? p - word_passes_ : p),
                            counts_ + 8 * 256 * p,
                            state,
                            by_id ? ids_ : 0};
      queue_.launch("nvm_order_pass", tiles, kThreads, words, 0);
      std::swap(words_, spare_words_);
      std::swap(index_, spare_index_);
    }
    return true;
  }

  bool finish() {
    const auto width = static_cast<std::size_t>(task_.rank_bytes);
    const std::size_t bytes = n_ * (task_.ranks ? width : key_bytes(task_.keys));
    const Address out = queue_.allocate(bytes);
    if (out == 0) return false;
    const Word mask = key_bits_ == 64 || !packed_ ? ~Word{0} : (Word{1} << key_bits_) - 1;
    if (task_.ranks)
      launch("nvm_order_ranks", {cells_, index_, n_, offsets_, static_cast<Word>(task_.segments),
                                 static_cast<Word>(task_.regular_length), out, width});
    else
      launch("nvm_order_elements", {cells_, words_, n_, kind(), down(), low_, high_, mask, out});
    std::shared_ptr<Remote> made;
    queue_.keep(made, out, task_.to, bytes);
    if (!queue_.wait()) return false;
    task_.to_remote = std::move(made);
    return true;
  }

  OrderTask& task_;
  CudaQueue& queue_;
  const Word n_;
  std::vector<Address> owned_;
  Address keys_ = 0, offsets_ = 0, cells_ = 0, counts_ = 0, ids_ = 0;
  Address words_ = 0, spare_words_ = 0, index_ = 0, spare_index_ = 0;
  Word low_ = 0, high_ = 0, word_passes_ = 0, passes_ = 0;
  int key_bits_ = 0, segment_bits_ = 0;
  bool packed_ = true;
};

}  // namespace

const std::string& order_source() {
  static const std::string kSource = kText;
  return kSource;
}

bool DeviceOrderer::order(OrderTask& task) {
  if (task.count < std::max<std::int64_t>(least_, 2) ||
      task.count > std::numeric_limits<std::int32_t>::max() || device_->lost())
    return false;
  const auto compilation = compiler_.compile(order_source());
  if (compilation->state() != Compilation::State::kLoaded) return false;
  const NvtxRange range(task.ranks ? "ranking" : "sorting");
  CudaQueue queue(device_, compilation->module());
  const bool done = OrderRun(task, queue).run();
  if (queue.error().empty()) return done;
  device_->lose(queue.error() + ", in " + (task.ranks ? "ranking" : "sorting"));
  return false;
}

}  // namespace nvm::gpu
