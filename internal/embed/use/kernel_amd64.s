//go:build amd64 && !purego

#include "textflag.h"

// ROW multiplies four bytes of a row with the weights of 16 outputs in Y8 and Y9, and adds the products to two
// registers.
#define ROW(bytes, first, second) \
	VPBROADCASTD bytes, Y10        \
	VPMADDUBSW   Y8, Y10, Y11      \
	VPMADDUBSW   Y9, Y10, Y12      \
	VPMADDWD     Y15, Y11, Y11     \
	VPMADDWD     Y15, Y12, Y12     \
	VPADDD       Y11, first, first \
	VPADDD       Y12, second, second

// func multiplyAVX2(sums *int32, a, weights *byte, stride, groups, fours, panels int)
TEXT ·multiplyAVX2(SB), NOSPLIT, $0-56
	MOVQ     sums+0(FP), DI
	MOVQ     weights+16(FP), BX
	MOVQ     stride+24(FP), CX
	MOVQ     fours+40(FP), R12
	MOVQ     panels+48(FP), R13
	MOVQ     R13, R11
	SHLQ     $6, R11             // bytes of a row of sums
	LEAQ     (CX)(CX*2), R9      // three strides
	VPCMPEQW Y15, Y15, Y15
	VPSRLW   $15, Y15, Y15       // sixteen ones

panel:
	MOVQ a+8(FP), SI
	MOVQ groups+32(FP), R10
	MOVQ DI, DX

group:
	MOVQ  BX, R8
	MOVQ  SI, AX
	MOVQ  R12, R14
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

four:
	VMOVDQU (R8), Y8
	VMOVDQU 32(R8), Y9
	ROW((AX), Y0, Y1)
	ROW((AX)(CX*1), Y2, Y3)
	ROW((AX)(CX*2), Y4, Y5)
	ROW((AX)(R9*1), Y6, Y7)
	ADDQ $64, R8
	ADDQ $4, AX
	DECQ R14
	JNE  four

	VMOVDQU Y0, (DX)
	VMOVDQU Y1, 32(DX)
	ADDQ    R11, DX
	VMOVDQU Y2, (DX)
	VMOVDQU Y3, 32(DX)
	ADDQ    R11, DX
	VMOVDQU Y4, (DX)
	VMOVDQU Y5, 32(DX)
	ADDQ    R11, DX
	VMOVDQU Y6, (DX)
	VMOVDQU Y7, 32(DX)
	ADDQ    R11, DX
	LEAQ    (SI)(CX*4), SI
	DECQ    R10
	JNE     group

	MOVQ R8, BX                  // the next panel
	ADDQ $64, DI
	DECQ R13
	JNE  panel
	VZEROUPPER
	RET
