# HWC_ARCHITECTURE: the folder of native/ whose assembler and emitter fit. The compiler's own macros say what it
# compiles for; CMAKE_SYSTEM_PROCESSOR may name the machine that builds, or its kernel.
include(CheckCSourceCompiles)

set(condition_x86_64 "defined __x86_64__ && defined __LP64__")
set(condition_aarch64 "defined __aarch64__ && defined __LP64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__")
set(condition_riscv64 "defined __riscv && __riscv_xlen == 64")

function(find_architecture)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # no C library need be there to link with
    set(CMAKE_REQUIRED_QUIET ON)
    foreach(architecture x86_64 aarch64 riscv64)
        check_c_source_compiles("
            #if !(${condition_${architecture}})
            #error
            #endif
            int compiled;" HWC_IS_${architecture})
        if(HWC_IS_${architecture})
            set(HWC_ARCHITECTURE ${architecture} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "no assembler for what ${CMAKE_C_COMPILER} compiles for: hwchar has it for 64-bit x86, Arm "
                        "(little-endian) and RISC-V")
endfunction()

find_architecture()
