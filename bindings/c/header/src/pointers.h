
#if UINTPTR_MAX > 0xFFFFFFFFu
#define HRRY_POINTER_64
#else
#define HRRY_POINTER_32
#endif
