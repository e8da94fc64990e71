//go:build amd64 && !purego

#include "textflag.h"

// func dotAVX2(a *int16, row *byte, n int, sums *[8]int32)
TEXT ·dotAVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), AX
	MOVQ row+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ sums+24(FP), DX
	VPXOR Y0, Y0, Y0

sixteen:
	VPMOVSXBW (BX), Y1      // 16 numbers of the row, as int16
	VPMADDWD  (AX), Y1, Y1  // 16 products, added in pairs to int32
	VPADDD    Y1, Y0, Y0
	ADDQ      $32, AX
	ADDQ      $16, BX
	SUBQ      $16, CX
	JNE       sixteen
	VMOVDQU   Y0, (DX)
	VZEROUPPER
	RET

// How many bits are set in each number of four bits.
DATA ones<>+0(SB)/8, $0x0302020102010100
DATA ones<>+8(SB)/8, $0x0403030203020201
GLOBL ones<>(SB), RODATA|NOPTR, $16
DATA low<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL low<>(SB), RODATA|NOPTR, $8

// Bits are counted by looking up four at a time, after W. Muła, N. Kurz, D. Lemire, "Faster
// Population Counts Using AVX2 Instructions", The Computer Journal 2018. A byte has at most
// 8 × (1 + 2 + 4 + 8) = 120 hits, so that bytes do not run over.
//
// func hitsAVX2(planes *[16]uint64, column *byte, n int, sums *int32)
TEXT ·hitsAVX2(SB), NOSPLIT, $0-32
	MOVQ planes+0(FP), AX
	MOVQ column+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ sums+24(FP), DX
	VBROADCASTI128 ones<>(SB), Y8
	VPBROADCASTQ   low<>(SB), Y9
	VPXOR Y10, Y10, Y10

	// The planes: the lower four bits of each byte in Y0 to Y3, the upper in Y4 to Y7.
	VMOVDQU 0(AX), Y4
	VMOVDQU 32(AX), Y5
	VMOVDQU 64(AX), Y6
	VMOVDQU 96(AX), Y7
	VPAND   Y9, Y4, Y0
	VPAND   Y9, Y5, Y1
	VPAND   Y9, Y6, Y2
	VPAND   Y9, Y7, Y3
	VPSRLW  $4, Y4, Y4
	VPSRLW  $4, Y5, Y5
	VPSRLW  $4, Y6, Y6
	VPSRLW  $4, Y7, Y7
	VPAND   Y9, Y4, Y4
	VPAND   Y9, Y5, Y5
	VPAND   Y9, Y6, Y6
	VPAND   Y9, Y7, Y7

sketch:
	VMOVDQU (BX), Y11
	VPSRLW  $4, Y11, Y12
	VPAND   Y9, Y11, Y11
	VPAND   Y9, Y12, Y12

	VPAND   Y3, Y11, Y13
	VPAND   Y7, Y12, Y14
	VPSHUFB Y13, Y8, Y13
	VPSHUFB Y14, Y8, Y14
	VPADDB  Y14, Y13, Y15

	VPADDB  Y15, Y15, Y15
	VPAND   Y2, Y11, Y13
	VPAND   Y6, Y12, Y14
	VPSHUFB Y13, Y8, Y13
	VPSHUFB Y14, Y8, Y14
	VPADDB  Y14, Y13, Y13
	VPADDB  Y13, Y15, Y15

	VPADDB  Y15, Y15, Y15
	VPAND   Y1, Y11, Y13
	VPAND   Y5, Y12, Y14
	VPSHUFB Y13, Y8, Y13
	VPSHUFB Y14, Y8, Y14
	VPADDB  Y14, Y13, Y13
	VPADDB  Y13, Y15, Y15

	VPADDB  Y15, Y15, Y15
	VPAND   Y0, Y11, Y13
	VPAND   Y4, Y12, Y14
	VPSHUFB Y13, Y8, Y13
	VPSHUFB Y14, Y8, Y14
	VPADDB  Y14, Y13, Y13
	VPADDB  Y13, Y15, Y15

	VPSADBW      Y10, Y15, Y15 // the bytes of each quarter, added
	VEXTRACTI128 $1, Y15, X14
	VPADDQ       X14, X15, X15
	VPSHUFD      $0xEE, X15, X14
	VPADDQ       X14, X15, X15
	VMOVD        X15, (DX)
	ADDQ         $40, BX
	ADDQ         $4, DX
	DECQ         CX
	JNE          sketch
	VZEROUPPER
	RET
