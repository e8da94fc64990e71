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

DATA halves<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL halves<>(SB), RODATA|NOPTR, $8
DATA even<>+0(SB)/8, $0x00ff00ff00ff00ff
GLOBL even<>(SB), RODATA|NOPTR, $8

// LOOKUP sets out to the sums that a byte of 32 sketches names, at most 120 each: with its lower
// and its upper half it looks up one of 16 sums.
#define LOOKUP(bits, sums, out, other) \
	VMOVDQU        bits, out           \
	VPSRLW         $4, out, other      \
	VPAND          Y15, out, out       \
	VPAND          Y15, other, other   \
	VBROADCASTI128 sums(AX), Y8        \
	VPSHUFB        out, Y8, out        \
	VBROADCASTI128 sums+16(AX), Y8     \
	VPSHUFB        other, Y8, other    \
	VPADDB         other, out, out

// RATE rates eight slots by their hits, 16 bits each. at is the first slot.
#define RATE(hits, at) \
	VPMOVZXWD hits, Y3             \
	VCVTDQ2PS Y3, Y3               \
	VMULPS    Y10, Y3, Y3          \
	VMOVDQU   at*8(BX), Y4         \
	VMOVDQU   at*8+32(BX), Y5      \
	VSHUFPS   $0x88, Y5, Y4, Y6    \
	VSHUFPS   $0xDD, Y5, Y4, Y7    \
	VPERMPD   $0xD8, Y6, Y6        \
	VPERMQ    $0xD8, Y7, Y7        \
	VPSLLD    $16, Y7, Y4          \
	VPSRLD    $16, Y4, Y4          \
	VPSRLD    $16, Y7, Y5          \
	VCVTDQ2PS Y4, Y4               \
	VCVTDQ2PS Y5, Y5               \
	VMULPS    Y9, Y4, Y4           \
	VADDPS    Y3, Y4, Y4           \
	VADDPS    Y4, Y4, Y4           \
	VSUBPS    Y11, Y4, Y4          \
	VMULPS    Y6, Y4, Y4           \
	VMULPS    Y13, Y5, Y5          \
	VADDPS    Y5, Y4, Y5           \
	VMULPS    at*4(DI), Y12, Y6    \
	VXORPS    Y7, Y7, Y7           \
	VMAXPS    Y7, Y6, Y6           \
	VSQRTPS   Y6, Y6               \
	VMAXPS    Y7, Y4, Y4           \
	VMAXPS    Y7, Y5, Y5           \
	VADDPS    Y4, Y6, Y4           \
	VADDPS    Y5, Y6, Y5           \
	VMOVUPS   Y4, at*4(R8)         \
	VMOVUPS   Y5, at*4(R9)

// Hits are looked up as in F. André, A.-M. Kermarrec, N. Le Scouarnec, "Cache Locality is not
// Enough: High-Performance Nearest Neighbor Search with Product Quantization Fast Scan", PVLDB
// 2015: one instruction does it for 32 sketches.
//
// func rateAVX2(sums *[16]byte, k int, factors *[5]float32, blocks *byte, n int, lex, score, most *float32)
TEXT ·rateAVX2(SB), NOSPLIT, $0-64
	MOVQ factors+16(FP), SI
	MOVQ blocks+24(FP), BX
	MOVQ n+32(FP), CX
	MOVQ lex+40(FP), DI
	MOVQ score+48(FP), R8
	MOVQ most+56(FP), R9
	VBROADCASTSS 0(SI), Y9
	VBROADCASTSS 4(SI), Y10
	VBROADCASTSS 8(SI), Y11
	VBROADCASTSS 12(SI), Y12
	VBROADCASTSS 16(SI), Y13
	VPBROADCASTQ even<>(SB), Y14
	VPBROADCASTQ halves<>(SB), Y15

block:
	MOVQ  sums+0(FP), AX
	MOVQ  k+8(FP), DX
	VPXOR Y0, Y0, Y0 // hits of the slots 0, 2, 4 ..., 16 bits each
	VPXOR Y1, Y1, Y1 // of the slots 1, 3, 5 ...

bytes:
	PREFETCHT0 2304(BX) // the next block: the processor itself does not read ahead past a page
	LOOKUP(0(BX), 0, Y2, Y3)
	LOOKUP(32(BX), 32, Y4, Y5)
	VPADDB Y4, Y2, Y2 // at most 240
	VPAND  Y14, Y2, Y3
	VPADDW Y3, Y0, Y0
	VPSRLW $8, Y2, Y2
	VPADDW Y2, Y1, Y1
	ADDQ   $64, BX
	ADDQ   $64, AX
	SUBQ   $4, DX
	JNE    bytes

	VPUNPCKLWD   Y1, Y0, Y2 // slots 0 to 7, 16 to 23
	VPUNPCKHWD   Y1, Y0, Y1 // slots 8 to 15, 24 to 31
	VEXTRACTI128 $1, Y2, X0
	RATE(X2, 0)
	RATE(X1, 8)
	RATE(X0, 16)
	VEXTRACTI128 $1, Y1, X0
	RATE(X0, 24)
	ADDQ $256, BX
	ADDQ $128, DI
	ADDQ $128, R8
	ADDQ $128, R9
	SUBQ $32, CX
	JNE  block
	VZEROUPPER
	RET

// ADD adds the lowest of shares to a slot of lex.
#define ADD(slot, shares) \
	VADDSS (DX)(slot*4), shares, X0 \
	VMOVSS X0, (DX)(slot*4)

// ADDTWO adds the two lowest shares to the slots in the halves of a word.
#define ADDTWO(slots, shares) \
	MOVL      slots, R12   \
	SHRQ      $32, slots   \
	ADD(R12, shares)       \
	VMOVSHDUP shares, shares \
	ADD(slots, shares)

// func addSharesAVX2(postings *byte, n int, f *shareFactors, lex *float32, last int) int
TEXT ·addSharesAVX2(SB), NOSPLIT, $0-48
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
	PREFETCHT0 1024(BX)
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
	VMOVQ     X2, R8
	VPEXTRQ   $1, X2, R10
	VEXTRACTI128 $1, Y2, X2
	VMOVQ     X2, R9
	VPEXTRQ   $1, X2, R11
	VEXTRACTF128 $1, Y4, X5
	VPERMILPD $1, X4, X6
	VPERMILPD $1, X5, X7
	ADDTWO(R8, X4)
	ADDTWO(R9, X5)
	ADDTWO(R10, X6)
	ADDTWO(R11, X7)
	ADDQ      $64, BX
	ADDQ      $8, AX
	SUBQ      $8, CX
	JNE       eight

done:
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET

// func addTimesAVX2(times *uint8, tokens *uint16, n int, f *shareFactors, lex *float32)
TEXT ·addTimesAVX2(SB), NOSPLIT, $0-40
	MOVQ times+0(FP), BX
	MOVQ tokens+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ f+24(FP), SI
	MOVQ lex+32(FP), DX
	VBROADCASTSS 0(SI), Y11
	VBROADCASTSS 4(SI), Y12
	VBROADCASTSS 8(SI), Y13

eight:
	VPMOVZXBD (BX), Y4
	VPMOVZXWD (DI), Y5
	VCVTDQ2PS Y4, Y4
	VCVTDQ2PS Y5, Y5
	VMULPS    Y13, Y5, Y5
	VADDPS    Y12, Y4, Y6
	VADDPS    Y5, Y6, Y6
	VMULPS    Y11, Y4, Y4
	VDIVPS    Y6, Y4, Y4
	VADDPS    (DX), Y4, Y4
	VMOVUPS   Y4, (DX)
	ADDQ      $8, BX
	ADDQ      $16, DI
	ADDQ      $32, DX
	SUBQ      $8, CX
	JNE       eight
	VZEROUPPER
	RET

// func nextAboveAVX2(values *float32, by, least float32, at, n int) int
TEXT ·nextAboveAVX2(SB), NOSPLIT, $0-40
	MOVQ values+0(FP), BX
	VBROADCASTSS by+8(FP), Y2
	VBROADCASTSS least+12(FP), Y1
	MOVQ at+16(FP), AX
	MOVQ n+24(FP), CX

eight:
	PREFETCHT0 2048(BX)(AX*4)
	VMULPS    (BX)(AX*4), Y2, Y0
	VCMPPS    $30, Y1, Y0, Y0 // greater; false for NaN
	VMOVMSKPS Y0, R8
	TESTL     R8, R8
	JNE       found
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       eight
	JMP       done

found:
	BSFL R8, R8
	ADDQ R8, AX

done:
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

// func nextOpenAVX2(values *float32, flags *uint8, by float32, need *needs, at, n int) int
TEXT ·nextOpenAVX2(SB), NOSPLIT, $0-56
	MOVQ values+0(FP), BX
	MOVQ flags+8(FP), DI
	VBROADCASTSS by+16(FP), Y4
	MOVQ need+24(FP), DX
	MOVQ at+32(FP), AX
	MOVQ n+40(FP), CX

eight:
	PREFETCHT0 2048(BX)(AX*4)
	VPMOVZXBD  (DI)(AX*1), Y1
	VPCMPEQD   Y3, Y3, Y3
	VGATHERDPS Y3, (DX)(Y1*4), Y2
	VMULPS     (BX)(AX*4), Y4, Y0
	VCMPPS     $29, Y2, Y0, Y0 // greater or equal; false for NaN
	VMOVMSKPS  Y0, R8
	TESTL      R8, R8
	JNE        found
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        eight
	JMP        done

found:
	BSFL R8, R8
	ADDQ R8, AX

done:
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET

// func orWhereAVX2(values *uint8, n int, x, flag uint8, flags *uint8)
TEXT ·orWhereAVX2(SB), NOSPLIT, $0-32
	MOVQ values+0(FP), BX
	MOVQ n+8(FP), CX
	VPBROADCASTB x+16(FP), Y1
	VPBROADCASTB flag+17(FP), Y2
	MOVQ flags+24(FP), DI
	XORQ AX, AX

many:
	VPCMPEQB (BX)(AX*1), Y1, Y0
	VPAND    Y2, Y0, Y0
	VPOR     (DI)(AX*1), Y0, Y0
	VMOVDQU  Y0, (DI)(AX*1)
	ADDQ     $32, AX
	CMPQ     AX, CX
	JLT      many
	VZEROUPPER
	RET

// func addPartsAVX2(parts *uint8, n int, by float32, leans *float32)
TEXT ·addPartsAVX2(SB), NOSPLIT, $0-32
	MOVQ parts+0(FP), BX
	MOVQ n+8(FP), CX
	VBROADCASTSS by+16(FP), Y1
	MOVQ leans+24(FP), DI

eight:
	PREFETCHT0 1024(BX)
	VPMOVZXBD (BX), Y0
	VCVTDQ2PS Y0, Y0
	VMULPS    Y1, Y0, Y0
	VADDPS    (DI), Y0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $8, BX
	ADDQ      $32, DI
	SUBQ      $8, CX
	JNE       eight
	VZEROUPPER
	RET

DATA one<>+0(SB)/4, $0x3f800000
GLOBL one<>(SB), RODATA|NOPTR, $4
DATA count<>+0(SB)/4, $0x42800000 // buckets
GLOBL count<>(SB), RODATA|NOPTR, $4

// func nextFittingAVX2(shared, leans *float32, need *[buckets + 1]float32, at, n int) int
TEXT ·nextFittingAVX2(SB), NOSPLIT, $0-48
	MOVQ shared+0(FP), BX
	MOVQ leans+8(FP), DI
	MOVQ need+16(FP), DX
	MOVQ at+24(FP), AX
	MOVQ n+32(FP), CX
	VXORPS Y15, Y15, Y15
	VBROADCASTSS one<>(SB), Y14
	VBROADCASTSS count<>(SB), Y13

eight:
	VMOVUPS    (BX)(AX*4), Y0
	VMAXPS     (DI)(AX*4), Y15, Y1
	VMINPS     Y14, Y1, Y1
	VMULPS     Y13, Y1, Y1
	VCVTTPS2DQ Y1, Y1
	VPCMPEQD   Y3, Y3, Y3
	VGATHERDPS Y3, (DX)(Y1*4), Y2
	VCMPPS     $21, Y2, Y0, Y2  // not less
	VCMPPS     $4, Y15, Y0, Y0  // not 0
	VANDPS     Y0, Y2, Y0
	VMOVMSKPS  Y0, R8
	TESTL      R8, R8
	JNE        found
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        eight
	JMP        done

found:
	BSFL R8, R8
	ADDQ R8, AX

done:
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET

// func prefetch(b *byte, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ b+0(FP), AX
	MOVQ n+8(FP), CX
	ADDQ AX, CX

line:
	PREFETCHT0 (AX)
	ADDQ       $64, AX
	CMPQ       AX, CX
	JLT        line
	PREFETCHT0 -1(CX)
	RET
