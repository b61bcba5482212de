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
using Keys = OrderTask::Keys;
// As order.cuh has them.
constexpr int kThreads = 256;
constexpr Word kTickets = 2;  // the first cell of them
constexpr Word kWords = 4, kRanks4 = 5, kRanks8 = 6;
constexpr std::int64_t tile_of(int bytes) { return kThreads * (bytes == 4 ? 24 : 16); }
constexpr int kDigit = 8;
constexpr std::size_t kBins = 4 << kDigit;  // bytes of the counts of a pass
constexpr int kCountedBytes = 4;            // of keys, beside their range
constexpr int kRows = kCountedBytes + 17;   // of counts: also of digits of segment, key and nothing
constexpr std::size_t kCells = 20;

std::size_t key_bytes(Keys keys) { return keys == Keys::kI8 ? 1 : keys == Keys::kI32 ? 4 : 8; }
int bits_of(Word most) { return static_cast<int>(std::bit_width(most)); }
Word mask_of(int bits) { return bits >= 64 ? ~Word{0} : (Word{1} << bits) - 1; }

int passes_of(int bits) { return (bits + kDigit - 1) / kDigit; }

// What is sorted by at once: bits of segment and key above the index, in words of 4 or 8 bytes.
struct Chunk {
  int skip = 0, bits = 0, bytes = 8;
  [[nodiscard]] int passes() const { return passes_of(bits); }
};

// How elements become words: (key ^ flip) + base is in the wanted order, from 0 on.
struct Layout {
  Word flip = 0, base = 0;
  int key_bits = 0, segment_bits = 0, index_bits = 0;
  int counted = 1;  // digits whose counts are those of bytes of the keys
  std::vector<Chunk> chunks;

  Layout(const OrderTask& task, std::int64_t least, std::int64_t most)
      : flip(task.down ? ~Word{0} : 0),
        key_bits(bits_of(static_cast<Word>(most) - static_cast<Word>(least))),
        segment_bits(bits_of(static_cast<Word>(std::max<std::int64_t>(task.segments, 1)) - 1)) {
    if (task.ranks || key_bits + segment_bits > 64) index_bits = bits_of(static_cast<Word>(task.count) - 1);
    // With only the upper bits subtracted that all keys share, no digit borrows.
    const int differing = bits_of(static_cast<Word>(least ^ most));
    const bool aligned = passes_of(differing + segment_bits) == passes_of(key_bits + segment_bits) &&
                         word_bytes(differing) == word_bytes(key_bits);
    if (aligned) {
      key_bits = differing;
      counted = kCountedBytes;
    }
    constexpr Word kSign = Word{1} << 63;
    const Word first = static_cast<Word>(task.down ? ~most : least) ^ kSign;
    base = kSign - (aligned ? first & ~mask_of(differing) : first);
    cut();
  }

 private:
  [[nodiscard]] int word_bytes(int bits) const { return bits + segment_bits + index_bits <= 32 ? 4 : 8; }
  void cut() {
    const int all = key_bits + segment_bits;
    const int room = index_bits == 0 ? 64 : (64 - index_bits) / kDigit * kDigit;
    for (int skip = 0; skip < all; skip += room) {
      const int bits = std::min(room, all - skip);
      chunks.push_back({skip, bits, bits + index_bits <= 32 ? 4 : 8});
    }
    if (chunks.empty()) chunks.push_back({0, 1, 4});  // all are equal
  }
};

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

  bool run() {
    if (!bind()) return false;
    std::int64_t least = 0, most = 0;
    if (!find_range(least, most)) return false;
    const Layout layout(task_, least, most);
    if (!take_memory(layout)) return false;
    for (const Chunk& c : layout.chunks) sort(layout, c);
    return finish(layout);
  }

 private:
  // Null once there was no memory.
  Address take(std::size_t bytes) {
    const Address a = queue_.allocate(std::max<std::size_t>(bytes, 8));
    if (a != 0) owned_.push_back(a);
    return a;
  }
  void launch(const char* entry, std::initializer_list<Word> words) {
    const std::int64_t blocks = (task_.count + kThreads * 8 - 1) / (kThreads * 8);
    launch(entry, std::clamp<std::int64_t>(blocks, 1, 2048), words);
  }
  void launch(const char* entry, std::int64_t blocks, std::initializer_list<Word> words) {
    queue_.launch(entry, blocks, kThreads, std::span(words.begin(), words.size()), 0);
  }
  [[nodiscard]] Word kind() const { return static_cast<Word>(task_.keys); }
  [[nodiscard]] std::size_t out_bytes() const {
    return task_.ranks ? static_cast<std::size_t>(task_.rank_bytes) : key_bytes(task_.keys);
  }
  [[nodiscard]] std::int64_t tiles(const Chunk& c) const {
    return (task_.count + tile_of(c.bytes) - 1) / tile_of(c.bytes);
  }
  [[nodiscard]] Address counts(int row) const { return cells_ + 8 * kCells + kBins * static_cast<Word>(row); }
  [[nodiscard]] bool one_segment() const { return task_.segments <= 1; }
  // Whether the last pass makes what is asked for.
  [[nodiscard]] bool direct(const Layout& l) const { return task_.ranks ? one_segment() : l.index_bits == 0; }
  // What follows writes there: the last step the result, those before in turn.
  Address target() {
    --steps_;
    return steps_ == 0 ? out_ : steps_ % 2 == 1 ? words_ : other_words_;
  }

  bool bind() {
    keys_ = queue_.bring(task_.from_remote, task_.from, n_ * key_bytes(task_.keys));
    if (task_.offsets != nullptr && !one_segment())
      offsets_ = queue_.bring(task_.offsets_remote, task_.offsets,
                              8 * (static_cast<std::size_t>(task_.segments) + 1));
    cells_ = take(8 * kCells + kBins * kRows);
    return keys_ != 0 && cells_ != 0 && (offsets_ != 0 || task_.offsets == nullptr || one_segment());
  }

  bool find_range(std::int64_t& least, std::int64_t& most) {
    queue_.clear(cells_, 8 * kCells + kBins * kRows);
    launch("nvm_order_range", {cells_, keys_, n_, kind(), counts(0)});
    Word range[2] = {};
    queue_.download(range, cells_, sizeof range);
    if (!queue_.wait()) return false;
    constexpr Word kSign = Word{1} << 63;
    most = static_cast<std::int64_t>(range[0] ^ kSign);
    least = static_cast<std::int64_t>(~range[1] ^ kSign);
    return true;
  }

  // The first chunk has the longest words, so the most tiles. The result's memory is also that of words, if
  // they fit.
  bool take_memory(const Layout& l) {
    steps_ = static_cast<int>(l.chunks.size()) - (one_segment() ? 1 : 0) + (direct(l) ? 0 : 1);
    for (const Chunk& c : l.chunks) steps_ += c.passes();
    const std::size_t state = kBins * static_cast<std::size_t>(tiles(l.chunks.front()));
    const auto word = static_cast<std::size_t>(l.chunks.front().bytes);
    state_ = take(2 * state);
    if (state_ == 0) return false;
    spare_ = state_ + state;
    queue_.clear(state_, state);
    if (steps_ > 1) words_ = take(n_ * word);
    if (steps_ > 1 && words_ == 0) return false;
    const bool apart = steps_ > 2 && word > out_bytes();
    if (apart) other_words_ = take(n_ * word);
    if (apart && other_words_ == 0) return false;
    out_ = queue_.allocate(n_ * out_bytes());
    if (!apart) other_words_ = out_;
    return out_ != 0;
  }

  void sort(const Layout& l, const Chunk& c) {
    const bool from_keys = c.skip == 0 && one_segment();
    const int counted = from_keys ? l.counted : 1;
    row_ = from_keys ? 0 : fresh_++;
    if (!from_keys) make_words(l, c);
    for (int p = 0; p < c.passes(); ++p) {
      const bool last = p + 1 == c.passes(), known = p + 1 < counted;
      pass(l, c, p, from_keys, last || known ? 0 : counts(fresh_));
      if (!last) row_ = known ? p + 1 : fresh_++;
    }
  }
  // In the order of those of the chunk before, if there was one.
  void make_words(const Layout& l, const Chunk& c) {
    const Address to = target();
    launch("nvm_order_words",
           {cells_, keys_, n_, kind(), l.flip, l.base, sorted_, static_cast<Word>(sorted_bytes_), to,
            static_cast<Word>(c.bytes), offsets_, static_cast<Word>(task_.segments),
            static_cast<Word>(task_.regular_length), static_cast<Word>(l.key_bits), static_cast<Word>(c.skip),
            static_cast<Word>(c.bits), static_cast<Word>(l.index_bits), mask_of(l.index_bits), counts(row_)});
    sorted_ = to;
  }
  // Counts of the next pass's digits go to `next`.
  void pass(const Layout& l, const Chunk& c, int number, bool chunk_of_keys, Address next) {
    const bool from_keys = chunk_of_keys && number == 0, of_bytes = chunk_of_keys && number < l.counted;
    const Word result = !task_.ranks ? kind() : task_.rank_bytes == 4 ? kRanks4 : kRanks8;
    const Word to_kind = steps_ == 1 ? result : kWords;
    const Word shift = static_cast<Word>(kDigit * number);
    const Address from = from_keys ? keys_ : sorted_;
    const Address to = target();
    launch(c.bytes == 4 ? "nvm_order_pass4" : "nvm_order_pass8", tiles(c),
           {cells_, ticket_++, from, from_keys ? kind() : kWords, to, to_kind, n_,
            static_cast<Word>(l.index_bits) + shift, counts(row_), of_bytes ? l.base >> shift : 0,
            of_bytes ? l.flip : 0, next, state_, steps_ == 0 ? 0 : spare_, l.flip, l.base,
            mask_of(l.key_bits), static_cast<Word>(l.index_bits), mask_of(l.index_bits)});
    sorted_ = to;
    sorted_bytes_ = c.bytes;
    std::swap(state_, spare_);
  }

  bool finish(const Layout& l) {
    if (!direct(l))
      launch("nvm_order_finish", {cells_, sorted_, static_cast<Word>(sorted_bytes_), mask_of(l.index_bits),
                                  n_, task_.ranks ? 0 : keys_, offsets_, static_cast<Word>(task_.segments),
                                  static_cast<Word>(task_.regular_length), target(), out_bytes()});
    std::shared_ptr<Remote> made;
    queue_.keep(made, out_, task_.to, n_ * out_bytes());
    if (!queue_.wait()) return false;
    task_.to_remote = std::move(made);
    return true;
  }

  OrderTask& task_;
  CudaQueue& queue_;
  const Word n_;
  std::vector<Address> owned_;
  Address keys_ = 0, offsets_ = 0, cells_ = 0, state_ = 0, spare_ = 0, out_ = 0;
  Address words_ = 0, other_words_ = 0;  // out_ may be the other
  Address sorted_ = 0;                   // words in order of all that was sorted by
  int sorted_bytes_ = 0;
  int steps_ = 0;  // to come, of those that write words or the result
  Word ticket_ = kTickets;
  int row_ = 0, fresh_ = kCountedBytes;  // of counts: this pass's, the first that is not used
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
