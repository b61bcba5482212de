'use strict';
// Colours by a grammar of TextMate, as editors have it: rules that match, with captures, and rules from a begin to an end.

function compileGrammar(grammar) {
  const expression = (text) => {
    const folded = text.startsWith('(?i)');
    return new RegExp(folded ? text.slice(4) : text, folded ? 'gim' : 'gm');
  };
  const rule = (r) => ({
    name: r.name, captures: r.captures,
    match: expression(r.match ?? r.begin), end: r.end === undefined ? undefined : expression(r.end),
    patterns: (r.patterns ?? []).map(rule),
  });
  return grammar.patterns.map(rule);
}

// What is found of a rule from a place on; of several rules the first match counts, the first rule where two are equal.
function nextMatch(rules, text, from) {
  let best = null;
  for (const rule of rules) {
    if (rule.at === undefined || rule.text !== text || rule.from > from || (rule.at !== null && rule.at.index < from)) {
      rule.match.lastIndex = from;
      Object.assign(rule, {text, from, at: rule.match.exec(text)});
    }
    if (rule.at !== null && (best === null || rule.at.index < best.at.index)) best = {rule, at: rule.at};
  }
  return best;
}

// Pieces of the text in order: {from, to, kind}, kind being the first word of a scope's name.
function highlight(rules, text) {
  const pieces = [];
  const add = (from, to, name) => {
    if (to > from && name) pieces.push({from, to, kind: name.split('.')[0]});
  };
  let place = 0;
  while (place < text.length) {
    const found = nextMatch(rules, text, place);
    if (found === null) break;
    const {rule, at} = found;
    const begin = at.index, after = begin + at[0].length;
    if (rule.end !== undefined) {
      let inside = after;
      let end = null;
      for (;;) {
        rule.end.lastIndex = inside;
        end = rule.end.exec(text);
        const inner = nextMatch(rule.patterns, text, inside);
        if (inner === null || (end !== null && end.index <= inner.at.index)) break;
        inside = inner.at.index + Math.max(1, inner.at[0].length);
      }
      place = end === null ? text.length : end.index + Math.max(1, end[0].length);
      add(begin, place, rule.name);
      continue;
    }
    if (rule.captures) {
      let from = begin;
      for (const [number, {name}] of Object.entries(rule.captures)) {
        const part = at[Number(number)];
        if (part === undefined) continue;
        const where = text.indexOf(part, from);
        add(where, where + part.length, name);
        from = where + part.length;
      }
    } else {
      add(begin, after, rule.name);
    }
    place = Math.max(after, begin + 1);
  }
  return pieces;
}

const grammars = {"nesl": {"name": "NESL", "scopeName": "source.nesl", "fileTypes": ["nesl"], "firstLineMatch": "^#!.*\\bn(esl)?vm\\b", "patterns": [{"name": "comment.line.shebang.nesl", "match": "^#!.*$"}, {"name": "comment.block.nesl", "begin": "%", "end": "%"}, {"name": "string.quoted.double.nesl", "begin": "\"", "end": "\"", "patterns": [{"name": "constant.character.escape.nesl", "match": "\\\\."}]}, {"name": "constant.character.nesl", "match": "`."}, {"match": "(?i)(?<![A-Za-z0-9_])(function|datatype)\\s+([A-Za-z_][A-Za-z0-9_]*)", "captures": {"1": {"name": "keyword.control.nesl"}, "2": {"name": "entity.name.function.nesl"}}}, {"name": "keyword.control.nesl", "match": "(?i)(?<![A-Za-z0-9_])(?:if|then|else|let|in|function|datatype|import|time)(?![A-Za-z0-9_])"}, {"name": "keyword.operator.word.nesl", "match": "(?i)(?<![A-Za-z0-9_])(?:and|or|xor|nand|nor)(?![A-Za-z0-9_])"}, {"name": "constant.language.nesl", "match": "(?i)(?<![A-Za-z0-9_])(?:t|f)(?![A-Za-z0-9_])"}, {"name": "storage.type.nesl", "match": "(?i)(?<![A-Za-z0-9_])(?:int|float|bool|char)(?![A-Za-z0-9_])"}, {"name": "support.type.nesl", "match": "(?i)(?<=\\sin )(?:any|number|ordinal|logical)(?=\\s*[;)])"}, {"name": "support.function.nesl", "match": "(?i)(?<![A-Za-z0-9_])(?:abrev_string|abrev_string_noparen|abrev_string_paren|abs|acos|all|and_scan|any|append|append_string_to_file|argsort|asin|atan|bin_counts|bool_string|bottop|bound_box|bounding_box|box_ratio|btoi|buckets|ceil|char_code|char_map|char_rank|char_string|chart|cheap_hash_vector|check|check_point|clear_window|clip|clip_vert|close_check|close_file|close_window|code_char|collect|collect_pairs|compare|cond_put|cons|cos|cosh|count|create_table|cummax|cumprod|cumsum|default_window|dictionary|diff|digitp|dist|div_internal|draw_lines|draw_points|draw_segments|draw_string|draw_strings|drop|elt|elt_nocheck|entries|enumerate|eput|eql|errcombine|error|even_elts|evenp|exact_string|exp|exp_string|expt|fail|fast_create_table|fast_insert_internal|file_write_string_internal|filter|find|first|flag_merge|flag_partition|flatten|flip_point|flip_points|float_num|float_string|float_to_any|floor|fold|fpermute_hack|fseq|gcd|get|get_boxsize|get_environment_variable|get_keys|get_mouse_info|get_nocheck|get_screen_size|gif_plot_file|grep|group_by|group_by_separator_flags|group_by_separator_flags_x|group_by_space|group_pairs|group_with|has_key|hash|hash_float|hash_scalar|hash_table_factor|hash_vector|hashinternal|hashtable|head_rest|histogram|identity|in_scale_box_p|index|insert_internal|insert_table|int_collect|int_collect_pairs|int_string|int_to_any|interleave|intersect_rectangles|intersection|is_missing|iseq|iseq1|iseqm1|isqrt|join|join_with|justify_clip|justify_fill_line|justify_pad_word|justify_shortcut|justify_text|key_char|kill_window|ks_done|ks_pick_g_subset|ks_pick_l_subset|ks_subselect|kth_smallest|kth_smallest_internal|leaffix|length|length_from_flags|linify|ln|log|lookup|lookup_all|lowercase|lshift|make_dictionary|make_ps_window|make_scale_box|make_segdes|make_sequence|make_table|make_window|map|map_rec|mark_duplicates|max|max_index|max_int|max_scan|max_val|mean|median|min|min_index|min_int|min_scan|min_val|minusp|mod|mult_scan|name|name_internal|negate|nest|newline|next|next_char|not|nullstr|odd_elts|oddp|one|open_append_file|open_check|open_file|open_in_file|open_out_file|or_scan|overlay|pack|pack_index|pack_scalar|parity|parse_float|parse_fract_recursive|parse_int|parse_int_recursive|parse_int_vect|parse_signed_int|parse_unsigned_int|partition|permute|permute_nocheck|pi|plot|plot_bars|plot_histogram|plot_image|plot_line|plot_points|plus_scan|plusp|positive_int_string|present|previous|print|print_char|print_debug|print_line|print_string|print_trace|printl|product|prompt|put|quantile|rand|rand_seed|rank|rank_down|read|read_char|read_check|read_float_seq|read_float_seq_from_file|read_int_seq|read_int_seq_from_file|read_line|read_object|read_object_from_file|read_plot_line|read_string|read_string_from_file|read_word|reciprocal|reduce|rem|rem_internal|remove_duplicates|rep|rest|rest_tail|reverse|rootfix|rotate|round|rshift|scalar_string|scale_and_clip_segment|scale_box|scale_check_point|scale_point|scale_size|scan|scatter|scatter_add|scatter_max|scatter_min|scatter_or|search_for_subseqs|search_internal|search_sorted|search_table|segdes|segget|segjoin|seglenput|segpermute|segput|segput_nocolision|segrep|select|seq_dist|set_difference|shell_check|shell_command|sin|sinh|slices|snoc|sort|sort_by|sort_by_down|sort_down|space|spawn|split|split_at|split_index|sqrt|std_dev|stderr|stdin|stdout|stdout_internal|str_i|stream|string|string_eql|string_noparen|strip_after_point|subseq|sum|tab|table_entries|take|tan|tanh|text_to_window|text_window|titled|trace_string_depth|trace_string_length|transpose|tree_children|tree_depths|tree_levels|tree_parents|trim|trunc|union|unique|unpack|unscale_point|unscale_size|unzip|uppercase|utf8_codes|utf8_string|value_counts|variance|vector_abrev_string|vector_string|vpair|vsep|w_add_box|w_add_button|w_add_button_stack|w_add_image|w_add_text|w_add_text_box|w_black|w_blue|w_bounding_box|w_bounds_from_box|w_box|w_box_scale|w_clear_box|w_clip_and_draw_segments|w_clip_and_shade_polygon|w_cyan|w_dark_gray|w_draw_arrow|w_draw_big_point|w_draw_big_points|w_draw_lines|w_draw_point|w_draw_points|w_draw_rectangle|w_draw_segments|w_draw_segments_noclip|w_draw_string|w_get_button_input|w_get_color|w_get_input|w_get_input_noblock|w_get_named_box|w_get_zoom_box|w_gray|w_green|w_handle_button|w_kill_window|w_kill_window_box|w_light_blue|w_light_green|w_magenta|w_make_default_colormap|w_make_gcs|w_make_gray_colormap|w_make_window|w_make_window_box|w_orange|w_parse_input|w_pink|w_purple|w_red|w_reset_box_size|w_shade_polygon|w_shade_polygon_noclip|w_shade_rectangle|w_subbox|w_white|w_window|w_write_paragraph|w_write_text_centered|w_write_text_left|w_xor|w_yellow|window|windows|wordify|write|write_char|write_check|write_object|write_object_int2|write_object_to_file|write_string|write_string_to_file|xor_scan|xps_black_pixel|xps_clear_window|xps_close_window|xps_color_blue|xps_color_cyan|xps_color_gc|xps_color_green|xps_color_purple|xps_color_red|xps_color_yellow|xps_draw_arc|xps_draw_arrow|xps_draw_circle|xps_draw_image|xps_draw_lines|xps_draw_point|xps_draw_rectangle|xps_draw_segments|xps_draw_string|xps_event_button_press|xps_event_button_release|xps_event_key_press|xps_event_key_release|xps_event_mask_button1_motion|xps_event_mask_button2_motion|xps_event_mask_button3_motion|xps_event_mask_button_press|xps_event_mask_button_release|xps_event_mask_enter_window|xps_event_mask_key_press|xps_event_mask_key_release|xps_event_mask_leave_window|xps_event_mask_no_event|xps_event_mask_pointer_motion|xps_event_mask_pointer_motion_hint|xps_event_motion_notify|xps_func_and|xps_func_and_inverted|xps_func_and_reverse|xps_func_clear|xps_func_copy|xps_func_noop|xps_func_or|xps_func_set|xps_func_xor|xps_gc|xps_get_box|xps_kill_window|xps_line_gc|xps_make_gif_window|xps_make_ps_window|xps_make_window|xps_next_event|xps_next_event_noblock|xps_next_selected_event|xps_nmake_window|xps_pixmap_ball_field|xps_pixmap_black|xps_pixmap_bricks|xps_pixmap_chain_mail|xps_pixmap_dense_white|xps_pixmap_doted|xps_pixmap_duck_foot|xps_pixmap_grater|xps_pixmap_grid|xps_pixmap_lace|xps_pixmap_solid_white|xps_pixmap_square_cross|xps_pixmap_waffle|xps_pixmap_wattle_fence|xps_plot_file|xps_resize_window|xps_select_input|xps_shade_circle|xps_shade_polygon|xps_shade_rectangle|xps_stipple_gc|xps_symbol_from_key|xps_text_gc|xps_tile_gc|xps_white_pixel|xps_window|xx_make_scale_box|xxx_draw_button|xxx_flip_pair|xxx_next_selected_event|xxx_next_selected_event_noblock|zero|zero_elt|zerop|zip|zip3)(?![A-Za-z0-9_])"}, {"name": "constant.numeric.nesl", "match": "(?<![A-Za-z0-9_])(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?"}, {"name": "keyword.operator.nesl", "match": "\\+\\+|->|<-|\\|\\||==|/=|<=|>=|=>|::|&=|\\|=|:=|[-+*/^#@<>=|]"}, {"name": "punctuation.terminator.nesl", "match": "[;$]"}]}, "remora": {"name": "Remora", "scopeName": "source.remora", "fileTypes": ["remora"], "patterns": [{"name": "comment.line.remora", "match": ";.*$"}, {"name": "comment.block.remora", "begin": "#\\|", "end": "\\|#"}, {"name": "string.quoted.double.remora", "begin": "\"", "end": "\"", "patterns": [{"name": "constant.character.escape.remora", "match": "\\\\."}]}, {"name": "constant.character.remora", "match": "#\\\\(?:space|newline|tab|nul|x[0-9a-fA-F]+|.)"}, {"match": "(?<=\\()(define|def)\\s+\\(?([^\\s()\\[\\]{}|;\\\"]+)", "captures": {"1": {"name": "keyword.control.remora"}, "2": {"name": "entity.name.function.remora"}}}, {"name": "keyword.control.remora", "match": "(?<=\\()(?:array|box|boxes|def|define|define\\-index|define\\-type|field|fn|frame|i\\-app|i\\-fn|i\u03bb|I\u03bb|if|lambda|let|lift|over|reify\\-dimension|reify\\-shape|reshape|set|t\\-app|t\\-fn|t\u03bb|T\u03bb|unbox|view|\u03bb)(?=[\\s()\\[\\]{}|;\\\"]|$)"}, {"name": "constant.numeric.remora", "match": "(?<![^\\s()\\[\\]{}|])-?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?(?=[\\s()\\[\\]{}|;\\\"]|$)"}, {"name": "constant.language.remora", "match": "(?<![^\\s()\\[\\]{}|])#(?:t|f|true|false)(?=[\\s()\\[\\]{}|;\\\"]|$)"}, {"name": "storage.type.remora", "match": "(?<![^\\s()\\[\\]{}|])(?:\\->|\u2192|Arr|A|Forall|\u2200|Pi|\u03a0|Sigma|\u03a3|bool|char|float|int)(?=[\\s()\\[\\]{}|;\\\"]|$)"}, {"name": "keyword.operator.index.remora", "match": "(?<=\\()(?:\\+\\+|prod|shape)(?=[\\s()\\[\\]{}|;\\\"]|$)"}, {"name": "variable.parameter.remora", "match": "(?<![^\\s()\\[\\]{}|])@[^\\s()\\[\\]{}|;\\\"]+"}, {"name": "support.function.remora", "match": "(?<![^\\s()\\[\\]{}|])(?:open\\-scan\\-init|open\\-scan/zero|scatter\\-into|exscan/zero|reduce\\-init|reduce/zero|trace\\-right|transpose2d|float\\->int|fold\\-right|int\\->float|iscan\\-init|replicate\\*|with\\-shape|bool\\->int|char\\->int|fold\\-left|int\\->bool|int\\->char|replicate|scan\\-init|scan/zero|subvector|transpose|maximum\\.|minimum\\.|product\\.|subarray|truncate|bit\\-and|bit\\-not|bit\\-xor|ceiling|curtail|flatten|itemize|iterate|maximum|minimum|product|reverse|scatter|append|arccos|arcsin|arctan|behead|bit\\-or|filter|fold/l|fold/r|gather|grade\\.|length|reduce|rotate|select|bool=|char<|char=|count|drop\\*|equal|floor|grade|index|iota\\*|iota1|iota2|iscan|ravel|round|sort\\.|take\\*|trace|where|abs\\.|base|drop|fold|head|iota|item|last|max\\.|min\\.|neg\\.|rank|scan|sign|size|sort|sqrt|sum\\.|tail|take|!=\\.|<=\\.|>=\\.|abs|all|and|any|cos|div|exp|max|min|mod|neg|not|shl|shr|sin|sum|tan|xor|!=|\\*\\.|\\+\\.|\\-\\.|/\\.|<\\.|<=|=\\.|>\\.|>=|\\^\\.|ln|or|pi|%|\\*|\\+|\\-|/|<|=|>|\\^)(?=[\\s()\\[\\]{}|;\\\"]|$)"}]}, "vcode": {"name": "VCODE", "scopeName": "source.vcode", "fileTypes": ["vcode"], "patterns": [{"name": "comment.block.vcode", "begin": "\\{", "end": "\\}"}, {"name": "string.quoted.double.vcode", "begin": "\"", "end": "\"", "patterns": [{"name": "constant.character.escape.vcode", "match": "\\\\."}]}, {"match": "(?i)(?<!\\S)(FUNC|CALL)\\s+(\\S+)", "captures": {"1": {"name": "keyword.control.vcode"}, "2": {"name": "entity.name.function.vcode"}}}, {"name": "keyword.control.vcode", "match": "(?i)(?<!\\S)(?:FUNC|RET|CALL|IF|ELSE|ENDIF)(?=[\\s(\\\"{]|$)"}, {"name": "support.function.vcode", "match": "(?i)(?<!\\S)(?:MAKE_SEGDES|START_TIMER|AND_REDUCE|FREAD_CHAR|MAX_REDUCE|MIN_REDUCE|STOP_TIMER|XOR_REDUCE|BFPERMUTE|DFPERMUTE|OR_REDUCE|RANK_DOWN|\\*_REDUCE|\\+_REDUCE|AND_SCAN|BPERMUTE|DPERMUTE|FPERMUTE|MAX_SCAN|MIN_SCAN|XOR_SCAN|EXTRACT|LENGTHS|OR_SCAN|PERMUTE|RANK_UP|REPLACE|\\*_SCAN|\\+_SCAN|B_TO_I|FCLOSE|FWRITE|I_TO_B|I_TO_F|LENGTH|LSHIFT|RSHIFT|SELECT|UNPAIR|CONST|FLOOR|FOPEN|FREAD|INDEX|ROUND|SPAWN|SRAND|TRUNC|WRITE|ACOS|ASIN|ATAN|CEIL|COPY|COSH|CPOP|DIST|EXIT|PACK|PAIR|RAND|READ|SINH|SQRT|TANH|AND|COS|EXP|LOG|NOT|POP|SIN|TAN|XOR|!=|<=|>=|OR|%|\\*|\\+|\\-|/|<|=|>)(?=[\\s(\\\"{]|$)"}, {"name": "storage.type.vcode", "match": "(?i)(?<!\\S)(?:INT|FLOAT|BOOL|CHAR|SEGDES)(?=[\\s(\\\"{]|$)"}, {"name": "constant.language.vcode", "match": "(?i)(?<![^\\s(])(?:T|F|STDIN|STDOUT|STDERR|NULL_STREAM)(?=[\\s)]|$)"}, {"name": "constant.numeric.vcode", "match": "(?<![^\\s(])[-+]?\\d+(?:\\.\\d*(?:[eE][-+]?\\d+)?)?(?=[\\s)]|$)"}]}};
// Blocks of NESL, Remora and VCODE in the colours of editors and of the playground. `grammars` stands in front.
for (const [language, grammar] of Object.entries(grammars)) {
  const rules = compileGrammar(grammar);
  for (const block of document.querySelectorAll(`code.language-${language}`)) {
    const text = block.textContent, whole = document.createDocumentFragment();
    let place = 0;
    for (const {from, to, kind} of highlight(rules, text)) {
      if (from < place) continue;
      const span = document.createElement('span');
      span.className = kind;
      span.textContent = text.slice(from, to);
      whole.append(text.slice(place, from), span);
      place = to;
    }
    whole.append(text.slice(place));
    block.replaceChildren(whole);
  }
}
