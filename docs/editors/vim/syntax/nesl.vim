" NESL. The lists between the marks are written by generate.py.
if exists("b:current_syntax")
  finish
endif
syn case ignore
syn keyword neslStatement if then else let in function datatype time
syn keyword neslOperator and or xor nand nor
syn keyword neslBoolean t f
syn keyword neslType int float bool char
" generated
syn keyword neslBuiltin abrev_string abs acos all and_scan any append append_string_to_file asin atan
syn keyword neslBuiltin bool_string bottop bound_box bounding_box box_ratio btoi ceil char_code char_rank
syn keyword neslBuiltin char_string check clear_window close_check close_file close_window code_char collect
syn keyword neslBuiltin cond_put cons cos cosh count create_table default_window diff digitp dist div_internal
syn keyword neslBuiltin draw_lines draw_points draw_segments draw_string draw_strings drop elt enumerate eput
syn keyword neslBuiltin eql error even_elts evenp exp exp_string expt fail fast_create_table find first
syn keyword neslBuiltin flag_merge flag_partition flatten float_num float_string float_to_any floor fseq gcd
syn keyword neslBuiltin get get_environment_variable get_mouse_info grep group_by group_by_separator_flags
syn keyword neslBuiltin group_by_separator_flags_x group_by_space hash hash_table_factor hashinternal
syn keyword neslBuiltin hashtable head_rest histogram identity index insert_table int_collect int_string
syn keyword neslBuiltin int_to_any interleave intersection iseq iseq1 iseqm1 isqrt join justify_text
syn keyword neslBuiltin kill_window kth_smallest length length_from_flags linify ln log lowercase lshift
syn keyword neslBuiltin make_ps_window make_table make_window map mark_duplicates max max_index max_int
syn keyword neslBuiltin max_scan max_val median min min_index min_int min_scan min_val minusp mod mult_scan
syn keyword neslBuiltin name negate newline next not nullstr odd_elts oddp one open_append_file open_check
syn keyword neslBuiltin open_file open_in_file open_out_file or_scan pack pack_index parity parse_float
syn keyword neslBuiltin parse_int parse_int_vect parse_unsigned_int partition permute pi plus_scan plusp
syn keyword neslBuiltin previous print print_char print_debug print_line print_string print_trace printl
syn keyword neslBuiltin product prompt put rand rand_seed rank rank_down read read_char read_check
syn keyword neslBuiltin read_float_seq read_float_seq_from_file read_int_seq read_int_seq_from_file read_line
syn keyword neslBuiltin read_object read_object_from_file read_string read_string_from_file read_word
syn keyword neslBuiltin reciprocal reduce rem remove_duplicates rep rest rest_tail reverse rotate round rshift
syn keyword neslBuiltin scale_box scan search_for_subseqs search_table select set_difference shell_command sin
syn keyword neslBuiltin sinh snoc sort space spawn split split_index sqrt stderr stdin stdout stdout_internal
syn keyword neslBuiltin stream string string_eql string_noparen subseq sum tab table_entries take tan tanh
syn keyword neslBuiltin trace_string_depth trace_string_length transpose trunc union unpack unzip uppercase
syn keyword neslBuiltin vpair vsep w_add_box w_add_button w_add_button_stack w_add_image w_add_text
syn keyword neslBuiltin w_add_text_box w_black w_blue w_bounding_box w_bounds_from_box w_box w_box_scale
syn keyword neslBuiltin w_clear_box w_clip_and_draw_segments w_clip_and_shade_polygon w_cyan w_dark_gray
syn keyword neslBuiltin w_draw_arrow w_draw_big_point w_draw_big_points w_draw_lines w_draw_point
syn keyword neslBuiltin w_draw_points w_draw_rectangle w_draw_segments w_draw_segments_noclip w_draw_string
syn keyword neslBuiltin w_get_button_input w_get_color w_get_input w_get_input_noblock w_get_named_box
syn keyword neslBuiltin w_get_zoom_box w_gray w_green w_kill_window w_kill_window_box w_light_blue
syn keyword neslBuiltin w_light_green w_magenta w_make_window w_make_window_box w_orange w_pink w_purple w_red
syn keyword neslBuiltin w_reset_box_size w_shade_polygon w_shade_polygon_noclip w_shade_rectangle w_subbox
syn keyword neslBuiltin w_white w_window w_write_paragraph w_write_text_centered w_write_text_left w_xor
syn keyword neslBuiltin w_yellow window wordify write write_char write_check write_object write_object_to_file
syn keyword neslBuiltin write_string write_string_to_file xor_scan xps_black_pixel xps_clear_window
syn keyword neslBuiltin xps_close_window xps_color_blue xps_color_cyan xps_color_gc xps_color_green
syn keyword neslBuiltin xps_color_purple xps_color_red xps_color_yellow xps_draw_arc xps_draw_arrow
syn keyword neslBuiltin xps_draw_circle xps_draw_image xps_draw_lines xps_draw_point xps_draw_rectangle
syn keyword neslBuiltin xps_draw_segments xps_draw_string xps_event_button_press xps_event_button_release
syn keyword neslBuiltin xps_event_key_press xps_event_key_release xps_event_mask_button1_motion
syn keyword neslBuiltin xps_event_mask_button2_motion xps_event_mask_button3_motion
syn keyword neslBuiltin xps_event_mask_button_press xps_event_mask_button_release xps_event_mask_enter_window
syn keyword neslBuiltin xps_event_mask_key_press xps_event_mask_key_release xps_event_mask_leave_window
syn keyword neslBuiltin xps_event_mask_no_event xps_event_mask_pointer_motion
syn keyword neslBuiltin xps_event_mask_pointer_motion_hint xps_event_motion_notify xps_func_and
syn keyword neslBuiltin xps_func_and_inverted xps_func_and_reverse xps_func_clear xps_func_copy xps_func_noop
syn keyword neslBuiltin xps_func_or xps_func_set xps_func_xor xps_gc xps_get_box xps_kill_window xps_line_gc
syn keyword neslBuiltin xps_make_gif_window xps_make_ps_window xps_make_window xps_next_event
syn keyword neslBuiltin xps_next_event_noblock xps_next_selected_event xps_nmake_window xps_pixmap_ball_field
syn keyword neslBuiltin xps_pixmap_black xps_pixmap_bricks xps_pixmap_chain_mail xps_pixmap_dense_white
syn keyword neslBuiltin xps_pixmap_doted xps_pixmap_duck_foot xps_pixmap_grater xps_pixmap_grid
syn keyword neslBuiltin xps_pixmap_lace xps_pixmap_solid_white xps_pixmap_square_cross xps_pixmap_waffle
syn keyword neslBuiltin xps_pixmap_wattle_fence xps_plot_file xps_resize_window xps_select_input
syn keyword neslBuiltin xps_shade_circle xps_shade_polygon xps_shade_rectangle xps_stipple_gc
syn keyword neslBuiltin xps_symbol_from_key xps_text_gc xps_tile_gc xps_white_pixel xps_window zero zero_elt
syn keyword neslBuiltin zerop zip zip3
" end
syn match neslNumber "\<\d\+\%(\.\d*\)\=\%([eE][-+]\=\d\+\)\=\|\.\d\+\%([eE][-+]\=\d\+\)\="
syn match neslCharacter "`."
syn region neslString start=+"+ skip=+\\.+ end=+"+
syn region neslComment start="%" end="%"
syn match neslComment "\%^#!.*$"
hi def link neslStatement Statement
hi def link neslOperator Operator
hi def link neslBoolean Boolean
hi def link neslType Type
hi def link neslBuiltin Function
hi def link neslNumber Number
hi def link neslCharacter Character
hi def link neslString String
hi def link neslComment Comment
let b:current_syntax = "nesl"
