" NESL. The lists between the marks are written by generate.py.
if exists("b:current_syntax")
  finish
endif
syn case ignore
syn keyword neslStatement if then else let in function datatype import time
syn keyword neslOperator and or xor nand nor
syn keyword neslBoolean t f
syn keyword neslType int float bool char
" generated
syn keyword neslBuiltin abrev_string abrev_string_noparen abrev_string_paren abs acos all and_scan any append
syn keyword neslBuiltin append_string_to_file argsort asin atan bin_counts bool_string bottop bound_box
syn keyword neslBuiltin bounding_box box_ratio btoi buckets ceil char_code char_map char_rank char_string
syn keyword neslBuiltin chart cheap_hash_vector check check_point clear_window clip clip_vert close_check
syn keyword neslBuiltin close_file close_window code_char collect collect_pairs compare cond_put cons cos cosh
syn keyword neslBuiltin count create_table cummax cumprod cumsum default_window dictionary diff digitp dist
syn keyword neslBuiltin div_internal draw_lines draw_points draw_segments draw_string draw_strings drop elt
syn keyword neslBuiltin elt_nocheck entries enumerate eput eql errcombine error even_elts evenp exact_string
syn keyword neslBuiltin exp exp_string expt fail fast_create_table fast_insert_internal
syn keyword neslBuiltin file_write_string_internal filter find first flag_merge flag_partition flatten
syn keyword neslBuiltin flip_point flip_points float_num float_string float_to_any floor fold fpermute_hack
syn keyword neslBuiltin fseq gcd get get_boxsize get_environment_variable get_keys get_mouse_info get_nocheck
syn keyword neslBuiltin get_screen_size gif_plot_file grep group_by group_by_separator_flags
syn keyword neslBuiltin group_by_separator_flags_x group_by_space group_pairs group_with has_key hash
syn keyword neslBuiltin hash_float hash_scalar hash_table_factor hash_vector hashinternal hashtable head_rest
syn keyword neslBuiltin histogram identity in_scale_box_p index insert_internal insert_table int_collect
syn keyword neslBuiltin int_collect_pairs int_string int_to_any interleave intersect_rectangles intersection
syn keyword neslBuiltin is_missing iseq iseq1 iseqm1 isqrt join join_with justify_clip justify_fill_line
syn keyword neslBuiltin justify_pad_word justify_shortcut justify_text key_char kill_window ks_done
syn keyword neslBuiltin ks_pick_g_subset ks_pick_l_subset ks_subselect kth_smallest kth_smallest_internal
syn keyword neslBuiltin leaffix length length_from_flags linify ln log lookup lookup_all lowercase lshift
syn keyword neslBuiltin make_dictionary make_ps_window make_scale_box make_segdes make_sequence make_table
syn keyword neslBuiltin make_window map map_rec mark_duplicates max max_index max_int max_scan max_val mean
syn keyword neslBuiltin median min min_index min_int min_scan min_val minusp mod mult_scan name name_internal
syn keyword neslBuiltin negate nest newline next next_char not nullstr odd_elts oddp one open_append_file
syn keyword neslBuiltin open_check open_file open_in_file open_out_file or_scan overlay pack pack_index
syn keyword neslBuiltin pack_scalar parity parse_float parse_fract_recursive parse_int parse_int_recursive
syn keyword neslBuiltin parse_int_vect parse_signed_int parse_unsigned_int partition permute permute_nocheck
syn keyword neslBuiltin pi plot plot_bars plot_histogram plot_image plot_line plot_points plus_scan plusp
syn keyword neslBuiltin positive_int_string present previous print print_char print_debug print_line
syn keyword neslBuiltin print_string print_trace printl product prompt put quantile rand rand_seed rank
syn keyword neslBuiltin rank_down read read_char read_check read_float_seq read_float_seq_from_file
syn keyword neslBuiltin read_int_seq read_int_seq_from_file read_line read_object read_object_from_file
syn keyword neslBuiltin read_plot_line read_string read_string_from_file read_word reciprocal reduce rem
syn keyword neslBuiltin rem_internal remove_duplicates rep rest rest_tail reverse rootfix rotate round rshift
syn keyword neslBuiltin scalar_string scale_and_clip_segment scale_box scale_check_point scale_point
syn keyword neslBuiltin scale_size scan scatter scatter_add scatter_max scatter_min scatter_or
syn keyword neslBuiltin search_for_subseqs search_internal search_sorted search_table segdes segget segjoin
syn keyword neslBuiltin seglenput segpermute segput segput_nocolision segrep select seq_dist set_difference
syn keyword neslBuiltin shell_check shell_command sin sinh slices snoc sort sort_by sort_by_down sort_down
syn keyword neslBuiltin space spawn split split_at split_index sqrt std_dev stderr stdin stdout
syn keyword neslBuiltin stdout_internal str_i stream string string_eql string_noparen strip_after_point subseq
syn keyword neslBuiltin sum tab table_entries take tan tanh text_to_window text_window titled
syn keyword neslBuiltin trace_string_depth trace_string_length transpose tree_children tree_depths tree_levels
syn keyword neslBuiltin tree_parents trim trunc union unique unpack unscale_point unscale_size unzip uppercase
syn keyword neslBuiltin utf8_codes utf8_string value_counts variance vector_abrev_string vector_string vpair
syn keyword neslBuiltin vsep w_add_box w_add_button w_add_button_stack w_add_image w_add_text w_add_text_box
syn keyword neslBuiltin w_black w_blue w_bounding_box w_bounds_from_box w_box w_box_scale w_clear_box
syn keyword neslBuiltin w_clip_and_draw_segments w_clip_and_shade_polygon w_cyan w_dark_gray w_draw_arrow
syn keyword neslBuiltin w_draw_big_point w_draw_big_points w_draw_lines w_draw_point w_draw_points
syn keyword neslBuiltin w_draw_rectangle w_draw_segments w_draw_segments_noclip w_draw_string
syn keyword neslBuiltin w_get_button_input w_get_color w_get_input w_get_input_noblock w_get_named_box
syn keyword neslBuiltin w_get_zoom_box w_gray w_green w_handle_button w_kill_window w_kill_window_box
syn keyword neslBuiltin w_light_blue w_light_green w_magenta w_make_default_colormap w_make_gcs
syn keyword neslBuiltin w_make_gray_colormap w_make_window w_make_window_box w_orange w_parse_input w_pink
syn keyword neslBuiltin w_purple w_red w_reset_box_size w_shade_polygon w_shade_polygon_noclip
syn keyword neslBuiltin w_shade_rectangle w_subbox w_white w_window w_write_paragraph w_write_text_centered
syn keyword neslBuiltin w_write_text_left w_xor w_yellow window windows wordify write write_char write_check
syn keyword neslBuiltin write_object write_object_int2 write_object_to_file write_string write_string_to_file
syn keyword neslBuiltin xor_scan xps_black_pixel xps_clear_window xps_close_window xps_color_blue
syn keyword neslBuiltin xps_color_cyan xps_color_gc xps_color_green xps_color_purple xps_color_red
syn keyword neslBuiltin xps_color_yellow xps_draw_arc xps_draw_arrow xps_draw_circle xps_draw_image
syn keyword neslBuiltin xps_draw_lines xps_draw_point xps_draw_rectangle xps_draw_segments xps_draw_string
syn keyword neslBuiltin xps_event_button_press xps_event_button_release xps_event_key_press
syn keyword neslBuiltin xps_event_key_release xps_event_mask_button1_motion xps_event_mask_button2_motion
syn keyword neslBuiltin xps_event_mask_button3_motion xps_event_mask_button_press
syn keyword neslBuiltin xps_event_mask_button_release xps_event_mask_enter_window xps_event_mask_key_press
syn keyword neslBuiltin xps_event_mask_key_release xps_event_mask_leave_window xps_event_mask_no_event
syn keyword neslBuiltin xps_event_mask_pointer_motion xps_event_mask_pointer_motion_hint
syn keyword neslBuiltin xps_event_motion_notify xps_func_and xps_func_and_inverted xps_func_and_reverse
syn keyword neslBuiltin xps_func_clear xps_func_copy xps_func_noop xps_func_or xps_func_set xps_func_xor
syn keyword neslBuiltin xps_gc xps_get_box xps_kill_window xps_line_gc xps_make_gif_window xps_make_ps_window
syn keyword neslBuiltin xps_make_window xps_next_event xps_next_event_noblock xps_next_selected_event
syn keyword neslBuiltin xps_nmake_window xps_pixmap_ball_field xps_pixmap_black xps_pixmap_bricks
syn keyword neslBuiltin xps_pixmap_chain_mail xps_pixmap_dense_white xps_pixmap_doted xps_pixmap_duck_foot
syn keyword neslBuiltin xps_pixmap_grater xps_pixmap_grid xps_pixmap_lace xps_pixmap_solid_white
syn keyword neslBuiltin xps_pixmap_square_cross xps_pixmap_waffle xps_pixmap_wattle_fence xps_plot_file
syn keyword neslBuiltin xps_resize_window xps_select_input xps_shade_circle xps_shade_polygon
syn keyword neslBuiltin xps_shade_rectangle xps_stipple_gc xps_symbol_from_key xps_text_gc xps_tile_gc
syn keyword neslBuiltin xps_white_pixel xps_window xx_make_scale_box xxx_draw_button xxx_flip_pair
syn keyword neslBuiltin xxx_next_selected_event xxx_next_selected_event_noblock zero zero_elt zerop zip zip3
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
