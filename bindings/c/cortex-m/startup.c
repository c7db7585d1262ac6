/* What happens before `main` on an emulated Cortex-M with semihosting. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;
extern void initialise_monitor_handles(void);
extern int main(void);

void reset(void) {
    const uint32_t *from = &data_load;
    for (uint32_t *to = &data_start; to < &data_end; to++) *to = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end; to++) *to = 0;
    initialise_monitor_handles();
    exit(main());
}

/* An access that the hardware refuses ends the program, and with it the emulator. */
static void fault(void) { exit(70); }

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[15])(void);
} vectors = {&stack_top, {reset, fault, fault, fault, fault, fault}};
