import { dlopen, FFIType } from "bun:ffi";
import { UnsupportedFeatureError } from "../libc/unsupported-feature-error.ts";

const { i32: int, ptr, u32: unsigned, u64: address } = FFIType;

/**
 * The functions of libbpf 1 that this project calls. The prototypes are those of bpf/libbpf.h and
 * bpf/bpf.h. As in bun/native.ts, a `ptr` parameter takes memory of this process. An `address`
 * parameter takes an address that libbpf gave.
 */
const prototypes = {
  // libbpf_print_fn_t libbpf_set_print(libbpf_print_fn_t fn)
  libbpf_set_print: { args: [address], returns: address },
  // int libbpf_num_possible_cpus(void)
  libbpf_num_possible_cpus: { args: [], returns: int },
  // struct bpf_object *bpf_object__open_mem(const void *buf, size_t size,
  //   const struct bpf_object_open_opts *opts)
  bpf_object__open_mem: { args: [ptr, address, address], returns: address },
  // int bpf_object__load(struct bpf_object *obj)
  bpf_object__load: { args: [address], returns: int },
  // void bpf_object__close(struct bpf_object *obj)
  bpf_object__close: { args: [address], returns: FFIType.void },
  // struct bpf_program *bpf_object__next_program(const struct bpf_object *obj, struct bpf_program
  // *prev)
  bpf_object__next_program: { args: [address, address], returns: address },
  // const char *bpf_program__name(const struct bpf_program *prog)
  bpf_program__name: { args: [address], returns: FFIType.cstring },
  // int bpf_program__set_autoload(struct bpf_program *prog, bool autoload)
  bpf_program__set_autoload: { args: [address, FFIType.bool], returns: int },
  // int bpf_program__set_attach_target(struct bpf_program *prog, int attach_prog_fd,
  //   const char *attach_func_name)
  bpf_program__set_attach_target: { args: [address, int, ptr], returns: int },
  // int bpf_program__set_log_buf(struct bpf_program *prog, char *log_buf, size_t log_size)
  bpf_program__set_log_buf: { args: [address, ptr, address], returns: int },
  // int bpf_program__fd(const struct bpf_program *prog)
  bpf_program__fd: { args: [address], returns: int },
  // int bpf_obj_get_info_by_fd(int bpf_fd, void *info, __u32 *info_len)
  bpf_obj_get_info_by_fd: { args: [int, ptr, ptr], returns: int },
  // int bpf_enable_stats(enum bpf_stats_type type)
  bpf_enable_stats: { args: [unsigned], returns: int },
  // struct bpf_link *bpf_program__attach(const struct bpf_program *prog)
  bpf_program__attach: { args: [address], returns: address },
  // struct bpf_link *bpf_program__attach_kprobe(const struct bpf_program *prog, bool retprobe,
  // const char *func_name)
  bpf_program__attach_kprobe: { args: [address, FFIType.bool, ptr], returns: address },
  // int bpf_link__pin(struct bpf_link *link, const char *path)
  bpf_link__pin: { args: [address, ptr], returns: int },
  // void bpf_link__disconnect(struct bpf_link *link)
  bpf_link__disconnect: { args: [address], returns: FFIType.void },
  // int bpf_obj_get(const char *pathname)
  bpf_obj_get: { args: [ptr], returns: int },
  // int bpf_map_get_fd_by_id(__u32 id)
  bpf_map_get_fd_by_id: { args: [unsigned], returns: int },
  // int bpf_link__destroy(struct bpf_link *link)
  bpf_link__destroy: { args: [address], returns: int },
  // struct bpf_map *bpf_object__find_map_by_name(const struct bpf_object *obj, const char *name)
  bpf_object__find_map_by_name: { args: [address, ptr], returns: address },
  // int bpf_map__fd(const struct bpf_map *map)
  bpf_map__fd: { args: [address], returns: int },
  // int bpf_map__set_pin_path(struct bpf_map *map, const char *path)
  bpf_map__set_pin_path: { args: [address, ptr], returns: int },
  // int bpf_map__set_max_entries(struct bpf_map *map, __u32 max_entries)
  bpf_map__set_max_entries: { args: [address, unsigned], returns: int },
  // void *bpf_map__initial_value(struct bpf_map *map, size_t *psize)
  bpf_map__initial_value: { args: [address, ptr], returns: address },
  // int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
  bpf_map_update_elem: { args: [int, ptr, ptr, address], returns: int },
  // int bpf_map_lookup_elem(int fd, const void *key, void *value)
  bpf_map_lookup_elem: { args: [int, ptr, ptr], returns: int },
  // int bpf_map_delete_elem(int fd, const void *key)
  bpf_map_delete_elem: { args: [int, ptr], returns: int },
} as const;

type Libbpf = ReturnType<typeof bind>["symbols"];

let bound: Libbpf | undefined;

/**
 * libbpf, bound when it is first wanted: only the agent needs it.
 *
 * @throws UnsupportedFeatureError on a machine without the library.
 */
export function libbpf(): Libbpf {
  bound ??= boundSilently();
  return bound;
}

function boundSilently(): Libbpf {
  try {
    const { symbols } = bind();
    // Else it writes its complaints to our standard error; all of them come as errors too.
    symbols.libbpf_set_print(0);
    return symbols;
  } catch (error) {
    throw new UnsupportedFeatureError("libbpf.so.1", "libbpf 1.0 (Debian's libbpf1)", error);
  }
}

function bind() {
  return dlopen("libbpf.so.1", prototypes);
}
