// W13: all places of a word in a text, and the words of a text. One byte read for each character.
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

constexpr std::string_view kPattern = "foobar";

using Places = std::vector<std::int32_t>;

struct Data {
  Array<std::int8_t> text;
  Places want, hand, library, standard;
};

Array<std::int8_t> make_text(const Problem& p) {
  Array<std::int8_t> text(p.n);
  const Draw draw(p.seed, 1);
  for (std::int64_t i = 0; i < p.n; ++i) {
    const std::uint64_t h = draw.bits(i);
    text[i] = static_cast<std::int8_t>(h % 6 == 0 ? ' ' : 'a' + static_cast<int>((h >> 32) % 26));
  }
  for (std::int64_t i = 0; i + 1000 < p.n; i += 100'003)  // chance alone gives too few
    std::memcpy(text.data() + i, kPattern.data(), kPattern.size());
  return text;
}

bool matches(const std::int8_t* at) { return std::memcmp(at, kPattern.data(), kPattern.size()) == 0; }

// Where the first and the last letter fit, the others are compared.
void find_filtered(const std::int8_t* s, std::int64_t lo, std::int64_t hi, Places& out) {
  std::int64_t i = lo;
#ifdef __AVX512BW__
  const std::int64_t last = static_cast<std::int64_t>(kPattern.size()) - 1;
  const __m512i first_letter = _mm512_set1_epi8(kPattern.front()),
                last_letter = _mm512_set1_epi8(kPattern.back());
  for (; i + 64 <= hi; i += 64) {
    std::uint64_t fits = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(s + i), first_letter) &
                         _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(s + i + last), last_letter);
    for (; fits != 0; fits &= fits - 1) {
      const std::int64_t at = i + __builtin_ctzll(fits);
      if (matches(s + at)) out.push_back(static_cast<std::int32_t>(at));
    }
  }
#endif
  for (; i < hi; ++i)
    if (s[i] == kPattern.front() && matches(s + i)) out.push_back(static_cast<std::int32_t>(i));
}

template <typename Find>
void find_all(const Data& d, int threads, Find find, Places& out) {
  std::vector<Places> found(static_cast<std::size_t>(threads));
  const std::int64_t places = d.text.size() - static_cast<std::int64_t>(kPattern.size()) + 1;
  parts(threads, places,
        [&](std::int64_t lo, std::int64_t hi, int t) { find(lo, hi, found[static_cast<std::size_t>(t)]); });
  out.clear();
  for (const Places& part : found) out.insert(out.end(), part.begin(), part.end());
}

// First letters of words, 64 characters at a time; answers how many.
std::int64_t word_starts(const std::int8_t* s, std::int64_t lo, std::int64_t hi, std::int32_t* out) {
  std::int32_t* to = out;
  std::int64_t i = lo;
#ifdef __AVX512BW__
  const __m512i blank = _mm512_set1_epi8(' ');
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::uint64_t before = lo == 0 || s[lo - 1] == ' ' ? 1 : 0;
  for (; i + 64 <= hi; i += 64) {
    const std::uint64_t blanks = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(s + i), blank);
    const std::uint64_t starts = ~blanks & ((blanks << 1) | before);
    before = blanks >> 63;
    for (int g = 0; g < 64; g += 16) {
      const auto some = static_cast<__mmask16>(starts >> g);
      const __m512i places = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(i) + g));
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(some, places));
      to += __builtin_popcount(some);
    }
  }
#endif
  for (; i < hi; ++i)
    if (s[i] != ' ' && (i == 0 || s[i - 1] == ' ')) *to++ = static_cast<std::int32_t>(i);
  return to - out;
}

// A list for each thread.
struct Starts {
  std::vector<Array<std::int32_t>> places;
  std::vector<std::int64_t> counts;

  Starts(std::int64_t n, int threads) : counts(static_cast<std::size_t>(threads)) {
    for (int t = 0; t < threads; ++t) places.emplace_back(n / threads / 2 + 256);
  }
  void find(const Array<std::int8_t>& text) {
    parts(static_cast<int>(counts.size()), text.size(), [&](std::int64_t lo, std::int64_t hi, int t) {
      const auto i = static_cast<std::size_t>(t);
      counts[i] = word_starts(text.data(), lo, hi, places[i].data());
    });
  }
  [[nodiscard]] Places all() const {
    Places all;
    for (std::size_t i = 0; i < counts.size(); ++i)
      all.insert(all.end(), places[i].begin(), places[i].begin() + counts[i]);
    return all;
  }
};

// The library's tokens: flags of starts and ends, packs of both, and the characters copied word by word.
struct Tokens {
  Places starts, ends;
  std::vector<std::int8_t> letters;
};

Tokens tokens(const Data& d, int threads) {
  const std::int8_t* s = d.text.data();
  const std::int64_t n = d.text.size();
  std::vector<Tokens> found(static_cast<std::size_t>(threads));
  parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
    Tokens& mine = found[static_cast<std::size_t>(t)];
    for (std::int64_t i = lo; i < hi; ++i) {
      if (s[i] == ' ') continue;
      if (i == 0 || s[i - 1] == ' ') mine.starts.push_back(static_cast<std::int32_t>(i));
      if (i + 1 == n || s[i + 1] == ' ') mine.ends.push_back(static_cast<std::int32_t>(i + 1));
      mine.letters.push_back(s[i]);
    }
  });
  Tokens all;
  for (const Tokens& part : found) {
    all.starts.insert(all.starts.end(), part.starts.begin(), part.starts.end());
    all.ends.insert(all.ends.end(), part.ends.begin(), part.ends.end());
    all.letters.insert(all.letters.end(), part.letters.begin(), part.letters.end());
  }
  return all;
}

Places starts_one_by_one(const Array<std::int8_t>& text) {
  Places starts;
  const std::int8_t* at = text.begin();
  while (true) {
    at =
        std::find_if(at, static_cast<const std::int8_t*>(text.end()), [](std::int8_t c) { return c != ' '; });
    if (at == text.end()) return starts;
    starts.push_back(static_cast<std::int32_t>(at - text.begin()));
    at = std::find(at, static_cast<const std::int8_t*>(text.end()), static_cast<std::int8_t>(' '));
  }
}

std::shared_ptr<Data> make_data(const Problem& p) {
  const auto d = std::make_shared<Data>();
  d->text = make_text(p);
  return d;
}
Input text_input(const Data& d) { return {"text", "[char]", {sequence_of(d.text.size()), borrowed(d.text)}}; }

}  // namespace

Instance string_search(const Problem& p) {
  const auto d = make_data(p);
  for (std::int64_t i = 0; i + static_cast<std::int64_t>(kPattern.size()) <= p.n; ++i)
    if (matches(d->text.data() + i)) d->want.push_back(static_cast<std::int32_t>(i));
  const auto right = [d](const Places& got) {
    return [d, &got] { return same<std::int32_t>(got, d->want); };
  };
  Instance it;
  it.inputs = {text_input(*d)};
  it.expression = "find_all(\"foobar\", text)";
  it.check = [d](Values v) { return equal(v[1], std::span<const std::int32_t>(d->want)); };
  it.rivals.push_back(
      {"hand", "first and last letter of 64 places at a time",
       [d, p] {
         find_all(
             *d, p.threads,
             [&](auto lo, auto hi, Places& out) { find_filtered(d->text.data(), lo, hi, out); }, d->hand);
       },
       right(d->hand)});
  const auto compare_all = [d](std::int64_t lo, std::int64_t hi, Places& out) {
    for (std::int64_t i = lo; i < hi; ++i) {
      std::size_t k = 0;
      while (k < kPattern.size() && d->text[i + static_cast<std::int64_t>(k)] == kPattern[k]) ++k;
      if (k == kPattern.size()) out.push_back(static_cast<std::int32_t>(i));
    }
  };
  it.rivals.push_back({"library", "a filter of all places by comparing letters",
                       [d, p, compare_all] { find_all(*d, p.threads, compare_all, d->library); },
                       right(d->library)});
  const auto memmem_all = [d](std::int64_t lo, std::int64_t hi, Places& out) {
    const std::int8_t *s = d->text.data(), *at = s + lo, *end = s + hi + kPattern.size() - 1;
    while ((at = static_cast<const std::int8_t*>(
                memmem(at, static_cast<std::size_t>(end - at), kPattern.data(), kPattern.size()))) != nullptr)
      out.push_back(static_cast<std::int32_t>(at++ - s));
  };
  it.rivals.push_back({"std", "memmem, one thread",
                       [d, memmem_all] { find_all(*d, 1, memmem_all, d->standard); }, right(d->standard)});
  return it;
}

Instance words(const Problem& p) {
  const auto d = make_data(p);
  const auto want = std::make_shared<const Tokens>(tokens(*d, 1));
  const auto starts = std::make_shared<Starts>(p.n, p.threads);
  d->want = want->starts;
  const auto lengths = std::make_shared<std::vector<std::int64_t>>();
  for (std::size_t i = 0; i < want->starts.size(); ++i) lengths->push_back(want->ends[i] - want->starts[i]);
  Instance it;
  it.inputs = {text_input(*d)};
  it.expression = "wordify(text)";
  it.check = [want, lengths](Values v) {
    if (first_int(v[0]) != static_cast<std::int64_t>(lengths->size()))
      return std::string("wrong number of words");
    if (all_ints(v[1]) != *lengths) return std::string("wrong lengths");
    bool right = false;
    with_ints(v[2], [&](const auto& letters) { right = std::ranges::equal(letters, want->letters); });
    return std::string(right ? "" : "wrong letters");
  };
  it.rivals.push_back({"hand", "places of first letters, 64 characters at a time; no copy",
                       [d, starts] { starts->find(d->text); },
                       [d, starts] { return same<std::int32_t>(starts->all(), d->want); }});
  it.rivals.push_back({"library", "flags of starts and ends, packs of places and letters",
                       [d, p] { d->library = tokens(*d, p.threads).starts; },
                       [d] { return same<std::int32_t>(d->library, d->want); }});
  it.rivals.push_back({"std", "std::find from word to word, one thread; no copy",
                       [d] { d->standard = starts_one_by_one(d->text); },
                       [d] { return same<std::int32_t>(d->standard, d->want); }});
  return it;
}

}  // namespace nvm::bench
