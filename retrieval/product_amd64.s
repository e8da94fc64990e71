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
GLOBL zero<>(SB), RODATA|NOPTR, $32

// BITS adds to Y15 the bits that the sketch, halves of bytes in Y11 and Y12, has in a plane.
#define BITS(lower, upper) \
	VPAND   lower, Y11, Y13  \
	VPAND   upper, Y12, Y14  \
	VPSHUFB Y13, Y8, Y13     \
	VPSHUFB Y14, Y8, Y14     \
	VPADDB  Y14, Y13, Y13    \
	VPADDB  Y13, Y15, Y15

// SKETCH adds the hits in the sketch at a byte of the column to Y10, as four sums of 16 bits,
// each in the lowest place of a word. What was there moves up a place.
//
// Bits are counted by looking up four at a time, after W. Muła, N. Kurz, D. Lemire, "Faster
// Population Counts Using AVX2 Instructions", The Computer Journal 2018. A byte has at most
// 8 × (1 + 2 + 4 + 8) = 120 hits, so that bytes do not run over; all 256 bits have 3,840.
#define SKETCH(at) \
	VMOVDQU at(BX), Y11      \
	VPSRLW  $4, Y11, Y12     \
	VPAND   Y9, Y11, Y11     \
	VPAND   Y9, Y12, Y12     \
	VPXOR   Y15, Y15, Y15    \
	BITS(Y3, Y7)             \
	VPADDB  Y15, Y15, Y15    \
	BITS(Y2, Y6)             \
	VPADDB  Y15, Y15, Y15    \
	BITS(Y1, Y5)             \
	VPADDB  Y15, Y15, Y15    \
	BITS(Y0, Y4)             \
	VPSADBW zero<>(SB), Y15, Y15 \
	VPSLLQ  $16, Y10, Y10    \
	VPADDQ  Y15, Y10, Y10

// FOLD adds the four words of Y10 up in the lowest of X10.
#define FOLD \
	VEXTRACTI128 $1, Y10, X14   \
	VPADDQ       X14, X10, X10  \
	VPSHUFD      $0xEE, X10, X14 \
	VPADDQ       X14, X10, X10

// func rateAVX2(planes *[16]uint64, factors *[5]float32, column *byte, n int, lex, score, most *float32, bests *[8]float32)
TEXT ·rateAVX2(SB), NOSPLIT, $0-64
	MOVQ planes+0(FP), AX
	MOVQ factors+8(FP), SI
	MOVQ column+16(FP), BX
	MOVQ n+24(FP), CX
	MOVQ lex+32(FP), DI
	MOVQ score+40(FP), R8
	MOVQ most+48(FP), R9
	MOVQ bests+56(FP), R10
	VBROADCASTI128 ones<>(SB), Y8
	VPBROADCASTQ   low<>(SB), Y9

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

eight:
	// The hits of eight sketches, as float32 in Y10.
	SKETCH(120)
	SKETCH(80)
	SKETCH(40)
	SKETCH(0)
	FOLD
	VMOVQ X10, R11
	SKETCH(280)
	SKETCH(240)
	SKETCH(200)
	SKETCH(160)
	FOLD
	VMOVQ       R11, X14
	VPUNPCKLQDQ X10, X14, X10
	VPMOVZXWD   X10, Y10
	VCVTDQ2PS   Y10, Y10

	// What stands behind the bits of a sketch: the factor in Y13; in Y12 number of positive
	// signs and error bound.
	VMOVQ       32(BX), X11
	VMOVQ       112(BX), X12
	VMOVQ       192(BX), X13
	VMOVQ       272(BX), X14
	VPINSRQ     $1, 72(BX), X11, X11
	VPINSRQ     $1, 152(BX), X12, X12
	VPINSRQ     $1, 232(BX), X13, X13
	VPINSRQ     $1, 312(BX), X14, X14
	VINSERTI128 $1, X13, Y11, Y11
	VINSERTI128 $1, X14, Y12, Y12
	VSHUFPS     $0x88, Y12, Y11, Y13
	VSHUFPS     $0xDD, Y12, Y11, Y12

	VPSLLD       $16, Y12, Y11
	VPSRLD       $16, Y11, Y11
	VCVTDQ2PS    Y11, Y11
	VBROADCASTSS 0(SI), Y14
	VMULPS       Y14, Y11, Y11
	VBROADCASTSS 4(SI), Y14
	VMULPS       Y14, Y10, Y10
	VADDPS       Y10, Y11, Y11 // positive
	VADDPS       Y11, Y11, Y11
	VBROADCASTSS 8(SI), Y14
	VSUBPS       Y14, Y11, Y11
	VMULPS       Y13, Y11, Y11 // cosine

	VPSRLD       $16, Y12, Y12
	VCVTDQ2PS    Y12, Y12
	VBROADCASTSS 16(SI), Y14
	VMULPS       Y14, Y12, Y12
	VADDPS       Y12, Y11, Y12 // its highest
	VBROADCASTSS 12(SI), Y14
	VMULPS       (DI), Y14, Y14 // the words
	VXORPS       Y13, Y13, Y13
	VMAXPS       Y13, Y11, Y11 // 0 also in place of NaN
	VMAXPS       Y13, Y12, Y12
	VADDPS       Y11, Y14, Y11
	VADDPS       Y12, Y14, Y12
	VMOVUPS      Y11, (R8)
	VMOVUPS      Y12, (R9)
	VMAXPS       (R10), Y11, Y11
	VMOVUPS      Y11, (R10)

	ADDQ $320, BX
	ADDQ $32, DI
	ADDQ $32, R8
	ADDQ $32, R9
	SUBQ $8, CX
	JNE  eight
	VZEROUPPER
	RET

// ADD adds a share on the stack to lex.
#define ADD(at) \
	MOVL   slots+(at-64)(SP), R8   \
	VMOVSS (DX)(R8*4), X0        \
	VADDSS shares+(at-32)(SP), X0, X0 \
	VMOVSS X0, (DX)(R8*4)

// func addSharesAVX2(postings *byte, n int, f *shareFactors, lex *float32, last int) int
TEXT ·addSharesAVX2(SB), NOSPLIT, $64-48
	MOVQ postings+0(FP), BX
	MOVQ n+8(FP), CX
	MOVQ f+16(FP), SI
	MOVQ lex+24(FP), DX
	XORQ AX, AX
	VPBROADCASTD last+32(FP), Y10
	VBROADCASTSS 0(SI), Y11
	VBROADCASTSS 4(SI), Y12
	VBROADCASTSS 8(SI), Y13

eight:
	VMOVDQU   (BX), Y0
	VMOVDQU   32(BX), Y1
	VSHUFPS   $0x88, Y1, Y0, Y2 // slots, of the postings 0 1 4 5 2 3 6 7
	VSHUFPS   $0xDD, Y1, Y0, Y3 // times, and tokens above them
	VPMAXUD   Y10, Y2, Y4
	VPCMPEQD  Y10, Y4, Y4
	VPMOVMSKB Y4, R8
	CMPL      R8, $-1
	JNE       done
	VPSLLD    $16, Y3, Y4
	VPSRLD    $16, Y4, Y4
	VPSRLD    $16, Y3, Y5
	VCVTDQ2PS Y4, Y4
	VCVTDQ2PS Y5, Y5
	VMULPS    Y13, Y5, Y5
	VADDPS    Y12, Y4, Y6
	VADDPS    Y5, Y6, Y6
	VMULPS    Y11, Y4, Y4
	VDIVPS    Y6, Y4, Y4
	VMOVDQU   Y2, slots-64(SP)
	VMOVUPS   Y4, shares-32(SP)
	ADD(0)
	ADD(4)
	ADD(16)
	ADD(20)
	ADD(8)
	ADD(12)
	ADD(24)
	ADD(28)
	ADDQ      $64, BX
	ADDQ      $8, AX
	SUBQ      $8, CX
	JNE       eight

done:
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET
