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

// DOT multiplies four bytes of a row with the weights of 32 outputs in Z16 and Z17, and adds the products to two
// registers.
#define DOT(bytes, first, second) \
	VPBROADCASTD bytes, Z18         \
	VPDPBUSD     Z16, Z18, first    \
	VPDPBUSD     Z17, Z18, second

// STORE writes the sums of a row, and goes on to the next one.
#define STORE(first, second) \
	VMOVDQU32 first, (DI)    \
	VMOVDQU32 second, 64(DI) \
	ADDQ      R11, DI

// func multiplyVNNI(sums *int32, a, weights *byte, stride, groups, fours, pairs int)
TEXT ·multiplyVNNI(SB), NOSPLIT, $0-56
	MOVQ weights+16(FP), BX
	MOVQ stride+24(FP), CX
	MOVQ fours+40(FP), R12
	MOVQ pairs+48(FP), R13
	MOVQ R13, R11
	SHLQ $7, R11                 // bytes of a row of sums
	MOVQ R12, R15
	SHLQ $6, R15                 // bytes of a panel
	LEAQ (CX)(CX*2), R9          // three strides

pair:
	MOVQ sums+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ groups+32(FP), R10
	SUBQ $2, R10
	JLT  last

group:
	MOVQ   BX, R8
	MOVQ   SI, AX
	LEAQ   (SI)(CX*4), DX
	MOVQ   R12, R14
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15

four:
	VMOVDQU32 (R8), Z16
	VMOVDQU32 (R8)(R15*1), Z17
	DOT((AX), Z0, Z1)
	DOT((AX)(CX*1), Z2, Z3)
	DOT((AX)(CX*2), Z4, Z5)
	DOT((AX)(R9*1), Z6, Z7)
	DOT((DX), Z8, Z9)
	DOT((DX)(CX*1), Z10, Z11)
	DOT((DX)(CX*2), Z12, Z13)
	DOT((DX)(R9*1), Z14, Z15)
	ADDQ $64, R8
	ADDQ $4, AX
	ADDQ $4, DX
	DECQ R14
	JNE  four

	STORE(Z0, Z1)
	STORE(Z2, Z3)
	STORE(Z4, Z5)
	STORE(Z6, Z7)
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	LEAQ (SI)(CX*8), SI
	SUBQ $2, R10
	JGE  group

last: // four rows may be left
	ADDQ   $2, R10
	JEQ    next
	MOVQ   BX, R8
	MOVQ   R12, R14
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7

lastFour:
	VMOVDQU32 (R8), Z16
	VMOVDQU32 (R8)(R15*1), Z17
	DOT((SI), Z0, Z1)
	DOT((SI)(CX*1), Z2, Z3)
	DOT((SI)(CX*2), Z4, Z5)
	DOT((SI)(R9*1), Z6, Z7)
	ADDQ $64, R8
	ADDQ $4, SI
	DECQ R14
	JNE  lastFour

	STORE(Z0, Z1)
	STORE(Z2, Z3)
	STORE(Z4, Z5)
	STORE(Z6, Z7)

next:
	LEAQ (BX)(R15*2), BX         // the next two panels
	ADDQ $128, sums+0(FP)
	DECQ R13
	JNE  pair
	VZEROUPPER
	RET

// FOUR multiplies four bytes of two rows, in X9 and X10, with the weights of four outputs, and adds the products to a
// register for each row.
#define FOUR(weights, first, second) \
	MOVOU     weights, X8 \
	MOVOA     X9, X11     \
	MOVOA     X10, X12    \
	PMADDUBSW X8, X11     \
	PMADDUBSW X8, X12     \
	PMADDWL   X15, X11    \
	PMADDWL   X15, X12    \
	PADDL     X11, first  \
	PADDL     X12, second

// func multiplySSSE3(sums *int32, a, weights *byte, stride, groups, fours, panels int)
TEXT ·multiplySSSE3(SB), NOSPLIT, $0-56
	MOVQ    sums+0(FP), DI
	MOVQ    weights+16(FP), BX
	MOVQ    stride+24(FP), CX
	MOVQ    fours+40(FP), R12
	MOVQ    panels+48(FP), R13
	MOVQ    R13, R11
	SHLQ    $6, R11              // bytes of a row of sums
	PCMPEQW X15, X15
	PSRLW   $15, X15             // eight ones

panel:
	MOVQ a+8(FP), SI
	MOVQ groups+32(FP), R10
	MOVQ DI, DX

group:
	MOVQ BX, R8
	MOVQ SI, AX
	MOVQ R12, R14
	PXOR X0, X0
	PXOR X1, X1
	PXOR X2, X2
	PXOR X3, X3
	PXOR X4, X4
	PXOR X5, X5
	PXOR X6, X6
	PXOR X7, X7

four:
	MOVL   (AX), X9
	MOVL   (AX)(CX*1), X10
	PSHUFL $0, X9, X9
	PSHUFL $0, X10, X10
	FOUR((R8), X0, X4)
	FOUR(16(R8), X1, X5)
	FOUR(32(R8), X2, X6)
	FOUR(48(R8), X3, X7)
	ADDQ   $64, R8
	ADDQ   $4, AX
	DECQ   R14
	JNE    four

	MOVOU X0, (DX)
	MOVOU X1, 16(DX)
	MOVOU X2, 32(DX)
	MOVOU X3, 48(DX)
	ADDQ  R11, DX
	MOVOU X4, (DX)
	MOVOU X5, 16(DX)
	MOVOU X6, 32(DX)
	MOVOU X7, 48(DX)
	ADDQ  R11, DX
	LEAQ  (SI)(CX*2), SI
	DECQ  R10
	JNE   group

	MOVQ R8, BX                  // the next panel
	ADDQ $64, DI
	DECQ R13
	JNE  panel
	RET
