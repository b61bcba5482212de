#include <bit>
#include <charconv>
#include <cmath>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "bytecode/text/writer.h"
#include "vm/interp/elements.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

namespace {

constexpr std::int64_t kFew = 1024;  // elements up to which an instruction is executed at once
constexpr std::size_t kMostConstants = 4096;

// All instructions that were asked for.
class Instructions {
 public:
  [[nodiscard]] const Instruction* find(const std::string& text) {
    const std::shared_lock reads(lock_);
    const auto found = by_text_.find(text);
    return found == by_text_.end() ? nullptr : found->second.get();
  }
  const Instruction* add(const std::string& text, std::unique_ptr<Instruction> made) {
    const std::unique_lock writes(lock_);
    const auto [at, is_new] = by_text_.emplace(text, std::move(made));
    if (is_new && at->second->constant) ++constants_;
    return at->second.get();
  }
  [[nodiscard]] bool has_most_constants() {
    const std::shared_lock reads(lock_);
    return constants_ >= kMostConstants;
  }

 private:
  std::shared_mutex lock_;
  std::unordered_map<std::string, std::unique_ptr<Instruction>> by_text_;
  std::size_t constants_ = 0;
};
Instructions& instructions() {
  static auto* made = new Instructions;  // as long as the process
  return *made;
}

TypeWord word_of_text(std::string_view text) {
  for (const TypeWord word : {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool})
    if (type_word_text(word) == text) return word;
  return TypeWord::kNone;
}

std::optional<Value> constant_value(TypeWord word, std::string_view text) {
  if (word == TypeWord::kBool) return loose_value(vm::Vector::of_bool(text == "T"));
  if (word == TypeWord::kInt) {
    std::int64_t x = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return loose_value(vm::Vector::of_int(x));
  }
  double x = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return loose_value(vm::Vector::of_float(x));
}

std::unique_ptr<Instruction> constant_instruction(std::string text, TypeWord word, Value value) {
  auto made = std::make_unique<Instruction>();
  made->text = std::move(text);
  made->word = word;
  made->kinds[0] = value.kind();
  made->constant = std::move(value);
  return made;
}

std::unique_ptr<Instruction> read(std::string_view text) {
  const auto space = text.find(' ');
  const std::string_view name = text.substr(0, space);
  std::string_view rest = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  const auto second = rest.find(' ');
  const TypeWord word = word_of_text(rest.substr(0, second));
  if (name == "CONST") {
    if (word == TypeWord::kNone || second == std::string_view::npos) return nullptr;
    auto value = constant_value(word, rest.substr(second + 1));
    return value ? constant_instruction(std::string(text), word, *value) : nullptr;
  }
  const auto op = find_op(name);
  if (!op) return nullptr;
  const OpInfo& info = op_info(*op);
  const bool whole = second == std::string_view::npos && (rest.empty() || word != TypeWord::kNone);
  if (!whole || !word_allowed(*op, word) || info.effect == Effect::kOrdered || info.results.size() > 2 ||
      info.results.empty() || info.operands.empty() || info.operands.size() > kMostOperands)
    return nullptr;
  auto made = std::make_unique<Instruction>();
  made->execute = vm::find_primitive(*op, word);
  if (made->execute == nullptr) return nullptr;
  made->text = text;
  made->op = *op;
  made->word = word;
  made->pure = info.effect == Effect::kPure;
  made->operands = static_cast<std::uint8_t>(info.operands.size());
  made->results = static_cast<std::uint8_t>(info.results.size());
  for (std::size_t k = 0; k < info.results.size(); ++k)
    made->kinds[k] = static_cast<Kind>(letter_type(info.results[k], word));
  return made;
}

std::string float_text(double x) {
  std::string text;
  append_float(text, x);
  return text;
}

Promise promise_of(ExpressionGraph& graph, const Instruction& constant) {
  auto* node = new Node(graph);
  Promise promise(node, 0);
  node->instruction = &constant;
  node->evaluate(0, *constant.constant);
  return promise;
}

// Null where there are too many: instructions live as long as the process, so it bounds them.
const Instruction* constant_instruction(const std::string& text) {
  return instructions().has_most_constants() ? instructions().find(text) : find_instruction(text);
}

template <typename Make, typename Text>
Promise constant_of(ExpressionGraph& graph, std::unordered_map<std::uint64_t, Promise>& mine,
                    std::uint64_t bits, Text text, Make otherwise) {
  ++graph.state().recorded;
  const auto found = mine.find(bits);
  if (found != mine.end()) return found->second;
  const Instruction* made = constant_instruction(text());
  if (made == nullptr) return graph.given(otherwise());
  return mine.emplace(bits, promise_of(graph, *made)).first->second;
}

std::int64_t extent_of(const vm::Value& value) {
  if (const auto* v = std::get_if<vm::Vector>(&value)) return v->length();
  if (const auto* s = std::get_if<vm::Segdes>(&value)) return std::max(s->segments(), s->total());
  return kFew + 1;
}

// Of a pure instruction, and of a division by one number that is not zero.
bool cannot_fail(const Instruction& instruction, std::span<const Promise> operands) {
  static const Instruction* const spread = find_instruction("DIST INT");
  if (instruction.pure) return true;
  const Scalar scalar = op_info(instruction.op).scalar;
  if (op_info(instruction.op).kind != OpKind::kMap || (scalar != Scalar::kDiv && scalar != Scalar::kRem))
    return false;
  if (instruction.kinds[0] == Kind::kFloat) return true;
  const Node* by = operands[1].node();
  if (by->evaluated() || by->instruction != spread) return false;
  const Node* number = by->operands[0].node();
  return number->evaluated() && number->values[0]->int_at(0) != 0;
}

// Nothing if it fails.
bool execute(const Instruction& instruction, std::span<const Promise> operands, Node& node) {
  static const vm::PrimContext context = [] {
    vm::PrimContext made;
    made.pool = &loose_pool();
    made.isa = vm::best_isa();
    return made;
  }();
  vm::Value taken[kMostOperands], made[2];
  for (std::size_t k = 0; k < operands.size(); ++k) taken[k] = operands[k].value().impl()->value;
  try {
    instruction.execute({context, instruction.op, instruction.word, taken, made});
  } catch (const vm::Fault&) {
    return false;
  }
  for (int k = 0; k < instruction.results; ++k) node.evaluate(k, loose_value(std::move(made[k])));
  return true;
}

}  // namespace

bool all_few(std::span<const Promise> operands) {
  for (const Promise& p : operands)
    if (!p.node()->evaluated() || p.node()->few > kFew) return false;
  return true;
}

Promise repeated(ExpressionGraph& graph, const vm::Vector& number, std::int64_t n) {
  return graph.given(loose_value(vm::Vector::repeated(number, n)));
}

Promise written(const Promise& promise) {
  if (!promise.evaluated()) return promise;
  const auto* v = std::get_if<vm::Vector>(&promise.value().impl()->value);
  if (v == nullptr || !v->is_repeated()) return promise;
  const std::string word(type_word_text(word_of(v->type())));
  const std::int64_t n = v->length();
  auto segments = make_segdes({&n, 1});
  if (!segments) throw std::bad_alloc();
  ExpressionGraph& graph = promise.graph();
  const Promise operands[] = {graph.given(loose_value(v->repeated_element())), graph.given(*segments)};
  return record(*find_instruction("DIST " + word), operands);
}

const Instruction* find_instruction(std::string_view text) {
  const std::string key(text);
  if (const Instruction* known = instructions().find(key)) return known;
  auto made = read(text);
  return made == nullptr ? nullptr : instructions().add(key, std::move(made));
}

DeadNodes::~DeadNodes() {
  while (first_ != nullptr) delete std::exchange(first_, first_->next_in_list);
}

ExpressionGraph::ExpressionGraph(const Places& places, Dead dead) : state_(std::make_unique<State>()) {
  state_->places = places;
  state_->keeps_dead = dead == Dead::kKept;
}
ExpressionGraph::~ExpressionGraph() {
  state_->ints.clear();
  state_->floats.clear();
  for (Promise& flag : state_->flags) flag = {};
  static_cast<void>(take_dead());
}
DeadNodes ExpressionGraph::take_dead() { return DeadNodes(std::exchange(state_->dead, nullptr)); }
std::uint64_t ExpressionGraph::recorded() const { return state_->recorded; }

Promise ExpressionGraph::constant(std::int64_t value) {
  return constant_of(
      *this, state_->ints, static_cast<std::uint64_t>(value),
      [&] { return "CONST INT " + std::to_string(value); },
      [&] {
        return make_ints({&value, 1});
      });
}
Promise ExpressionGraph::constant(double value) {
  return constant_of(
      *this, state_->floats, std::bit_cast<std::uint64_t>(value),
      [&] { return "CONST FLOAT " + float_text(value); },
      [&] {
        return make_floats({&value, 1});
      });
}
Promise ExpressionGraph::constant(bool value) {
  ++state_->recorded;
  Promise& flag = state_->flags[value ? 1 : 0];
  if (!flag) flag = promise_of(*this, *find_instruction(value ? "CONST BOOL T" : "CONST BOOL F"));
  return flag;
}

int operands_of(const Instruction& instruction) { return instruction.operands; }
int results_of(const Instruction& instruction) { return instruction.results; }
Kind operand_kind(const Instruction& instruction, int operand) {
  const OpInfo& info = op_info(instruction.op);
  return static_cast<Kind>(letter_type(info.operands[static_cast<std::size_t>(operand)], instruction.word));
}

Promise ExpressionGraph::given(Value value) {
  auto* node = new Node(*this);
  Promise promise(node, 0);
  node->given_kind = value.kind();
  node->evaluate(0, std::move(value));
  return promise;
}

Promise record(const Instruction& instruction, std::span<const Promise> operands) {
  ExpressionGraph& graph = operands[0].graph();
  ExpressionGraph::State& state = graph.state();
  ++state.recorded;
  Promise taken[kMostOperands];
  const bool few = all_few(operands);
  bool sure = false;
  if (!few) {
    for (std::size_t k = 0; k < operands.size(); ++k) taken[k] = written(operands[k]);
    sure = cannot_fail(instruction, {taken, operands.size()});
    Node* known = sure ? state.numbers.find(instruction, {taken, operands.size()}) : nullptr;
    if (known != nullptr) return {known, 0};
  }
  auto* node = new Node(graph);
  Promise promise(node, 0);
  node->instruction = &instruction;
  if (few && execute(instruction, operands, *node)) return promise;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Promise& operand = node->operands[k];
    operand = few ? written(operands[k]) : std::move(taken[k]);
    node->depth = std::max(node->depth, operand.depth());
  }
  ++node->depth;
  node->each = result_range(instruction, {node->operands, operands.size()});
  if (state.places.here != nullptr) node->place = state.places.here();
  if (sure) state.numbers.add(*node);
  return promise;
}

void Node::evaluate(int k, Value value) {
  few = std::max(few, extent_of(value.impl()->value));
  values[k] = std::move(value);
  depth = 0;
}

void Node::drop_place() {
  if (place.code != nullptr) graph.state().places.release(place.code);
  place = {};
}

// A long chain that nobody holds must not end in a recursion as long, nor need memory: nodes that nobody else
// holds wait in a list of their own links.
void Node::drop_operands() {
  Node* waiting = nullptr;
  const auto take = [&](Node& node) {
    ValueNumbers& numbers = node.graph.state().numbers;
    numbers.remove(node);
    for (Promise& operand : node.operands) {
      if (!operand) continue;
      if (operand.node()->refs > 1) {
        operand = {};
        continue;
      }
      Node* const below = operand.detach();
      numbers.remove(*below);
      below->next_in_list = waiting;
      waiting = below;
    }
  };
  take(*this);
  while (waiting != nullptr) {
    Node* const node = std::exchange(waiting, waiting->next_in_list);
    take(*node);
    node->drop_place();
    node->graph.state().bury(node);
  }
}

Promise::Promise(Node* node, int index) : node_(node), index_(index) { ++node_->refs; }
Promise::Promise(const Promise& o) : node_(o.node_), index_(o.index_) {
  if (node_ != nullptr) ++node_->refs;
}
Promise::~Promise() {
  if (node_ == nullptr || --node_->refs > 0) return;
  if (node_->operands[0]) node_->drop_operands();
  node_->drop_place();
  node_->graph.state().bury(node_);
}
ExpressionGraph& Promise::graph() const { return node_->graph; }
Kind Promise::kind() const { return node_->kind(index_); }
bool Promise::evaluated() const { return node_->evaluated(); }
const Value& Promise::value() const { return *node_->values[index_]; }
int Promise::depth() const { return node_->depth; }  // NOLINT(clang-analyzer-*): it counts no references
Place Promise::place() const { return node_->place; }
const std::string& Promise::text() const {
  static const std::string none;
  return node_->instruction == nullptr ? none : node_->instruction->text;
}
std::vector<Promise> Promise::operands() const {
  const auto used = node_->used();
  return {used.begin(), used.end()};
}

}  // namespace nvm::lib
