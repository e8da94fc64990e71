//go:build amd64 && !purego

#include "textflag.h"

// FINISH sets Y0 to outputs of a layer before its bias is added.
#define FINISH \
	VCVTDQ2PS (SI), Y0        \
	VMULPS    Y14, Y0, Y0     \
	VMULPS    (R9), Y15, Y1   \
	VADDPS    Y1, Y0, Y0      \
	VMULPS    (R8), Y0, Y0    \
	VADDPS    (R10), Y0, Y0

// func finishAVX2(out *float32, sums *int32, scale, weights, bias *float32, n int, base, step float32)
TEXT ·finishAVX2(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ sums+8(FP), SI
	MOVQ scale+16(FP), R8
	MOVQ weights+24(FP), R9
	MOVQ bias+32(FP), R10
	MOVQ n+40(FP), CX
	VBROADCASTSS base+48(FP), Y15
	VBROADCASTSS step+52(FP), Y14

eight:
	FINISH
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, R8
	ADDQ $32, R9
	ADDQ $32, R10
	ADDQ $32, DI
	SUBQ $8, CX
	JNE  eight
	VZEROUPPER
	RET

// func finishOntoAVX2(out, from *float32, sums *int32, scale, weights, bias *float32, n int, base, step float32)
TEXT ·finishOntoAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ from+8(FP), DX
	MOVQ sums+16(FP), SI
	MOVQ scale+24(FP), R8
	MOVQ weights+32(FP), R9
	MOVQ bias+40(FP), R10
	MOVQ n+48(FP), CX
	VBROADCASTSS base+56(FP), Y15
	VBROADCASTSS step+60(FP), Y14
	VXORPS Y13, Y13, Y13

eight:
	FINISH
	VMAXPS  Y13, Y0, Y0 // 0 for NaN too
	VADDPS  (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, R8
	ADDQ $32, R9
	ADDQ $32, R10
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNE  eight
	VZEROUPPER
	RET

// func boundsAVX2(x *float32, n int, least, most *[8]float32)
TEXT ·boundsAVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ least+16(FP), DI
	MOVQ most+24(FP), DX
	VMOVUPS (DI), Y1
	VMOVUPS (DX), Y2

eight:
	VMOVUPS (SI), Y0
	VMINPS  Y1, Y0, Y1 // without NaN
	VMAXPS  Y2, Y0, Y2
	ADDQ $32, SI
	SUBQ $8, CX
	JNE  eight
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, (DX)
	VZEROUPPER
	RET

// ROUND sets a register to 8 numbers as integers.
#define ROUND(at, out) \
	VMULPS     at(SI), Y15, out \
	VADDPS     Y14, out, out    \
	VCVTTPS2DQ out, out

DATA order<>+0(SB)/8, $0x0000000400000000
DATA order<>+8(SB)/8, $0x0000000500000001
DATA order<>+16(SB)/8, $0x0000000600000002
DATA order<>+24(SB)/8, $0x0000000700000003
GLOBL order<>(SB), RODATA|NOPTR, $32

// func toBytesAVX2(out *byte, x *float32, n int, inverse, half float32)
TEXT ·toBytesAVX2(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS inverse+24(FP), Y15
	VBROADCASTSS half+28(FP), Y14
	VMOVDQU order<>(SB), Y13

many:
	ROUND(0, Y0)
	ROUND(32, Y1)
	ROUND(64, Y2)
	ROUND(96, Y3)
	VPACKSSDW Y1, Y0, Y0 // each half of a register by itself
	VPACKSSDW Y3, Y2, Y2
	VPACKUSWB Y2, Y0, Y0
	VPERMD    Y0, Y13, Y0
	VMOVDQU   Y0, (DI)
	ADDQ $128, SI
	ADDQ $32, DI
	SUBQ $32, CX
	JNE  many
	VZEROUPPER
	RET

// func momentsAVX2(x *float32, n int, sums, squares *[8]float32)
TEXT ·momentsAVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ sums+16(FP), DI
	MOVQ squares+24(FP), DX
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2

eight:
	VMOVUPS (SI), Y0
	VADDPS  Y0, Y1, Y1
	VMULPS  Y0, Y0, Y0
	VADDPS  Y0, Y2, Y2
	ADDQ $32, SI
	SUBQ $8, CX
	JNE  eight
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, (DX)
	VZEROUPPER
	RET

// func centerAVX2(x, gain, shift *float32, n int, mean, inverse float32)
TEXT ·centerAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ gain+8(FP), R8
	MOVQ shift+16(FP), R9
	MOVQ n+24(FP), CX
	VBROADCASTSS mean+32(FP), Y15
	VBROADCASTSS inverse+36(FP), Y14

eight:
	VMOVUPS (SI), Y0
	VSUBPS  Y15, Y0, Y0
	VMULPS  Y14, Y0, Y0
	VMULPS  (R8), Y0, Y0
	VADDPS  (R9), Y0, Y0
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	ADDQ $32, R8
	ADDQ $32, R9
	SUBQ $8, CX
	JNE  eight
	VZEROUPPER
	RET

// func addNormalAVX2(sum, x *float32, n int, mean, inverse float32)
TEXT ·addNormalAVX2(SB), NOSPLIT, $0-32
	MOVQ sum+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS mean+24(FP), Y15
	VBROADCASTSS inverse+28(FP), Y14

eight:
	VMOVUPS (SI), Y0
	VSUBPS  Y15, Y0, Y0
	VMULPS  Y14, Y0, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNE  eight
	VZEROUPPER
	RET

// func levelsAVX2(out *float32, levels *byte, n int, base, step float32)
TEXT ·levelsAVX2(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ levels+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS base+24(FP), Y15
	VBROADCASTSS step+28(FP), Y14

eight:
	VPMOVZXBD (SI), Y0
	VCVTDQ2PS Y0, Y0
	VMULPS    Y14, Y0, Y0
	VADDPS    Y15, Y0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ $8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNE  eight
	VZEROUPPER
	RET
