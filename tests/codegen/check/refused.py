"""Entries that are right, and edits of them that no spec may have: what is said of each, and where."""

from __future__ import annotations

from textwrap import dedent

FRACTION = (
    "is a fraction for integers, and `dtype: promote` computes in the dtype of the arguments: "
    "write `dtype: float`, or leave bool and int out of `dtypes`"
)

# Entries of a spec outside the tree, in the order in which they stand in one file.
RIGHT = {
    "bend": """\
        - name: bend(Tensor self, Tensor other, *, float slope=1.0) -> Tensor
          variants: [function, inplace]
          aliases: [bow]
          elementwise: self * other * slope
          self: grad * other.conj() * slope
          other: grad * self.conj() * slope
          result: auto_multilinear
          samples: ["self=T(3), other=T(3)"]
        """,
    "running": """\
        - name: running(Tensor self, int dim) -> Tensor
          dtypes: [float]
          check: one_dim
          kernel: cumsum
          dispatch: {batch: along}
          self: grad.flip([dim]).cumsum(dim).flip([dim])
          backward: cumsum_backward(grad, dim)
          result: self_t.cumsum(dim)
          samples: ["self=T(3, 4), dim=1"]
          errors: {IndexError: "self=T(3), dim=7"}
        """,
    "turned": """\
        - name: turned(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
          view: transpose
          check: two_dims
          self: grad.transpose(dim0, dim1)
          result: auto_linear
          samples: ["self=T(3, 4), dim0=0, dim1=1"]
          errors: {IndexError: "self=T(3), dim0=0, dim1=7"}
        """,
    "chosen": """\
        - name: chosen(Tensor self, Scalar number, bool strict=False) -> Tensor
          dtypes: [float]
          composite: where(self > number if strict else self >= number, self, 0)
          samples: ["self=T(3), number=0"]
        """,
    "chosen.Tensor": """\
        - name: chosen.Tensor(Tensor self, Tensor other) -> Tensor
          dtypes: [float]
          composite: where(self > other, self, other)
          samples: ["self=T(3), other=T(3)"]
        """,
}


def right_spec() -> str:
    """All of them, one after the other."""
    return "".join(dedent(text) for text in RIGHT.values())


def edited(entry: str, right: str, wrong: str) -> str:
    """The spec with an edit of one entry; the text that is replaced stands there once."""
    text = dedent(RIGHT[entry])
    assert text.count(right) == 1, f"{right!r} must stand once in {entry}"
    return right_spec().replace(text, text.replace(right, wrong))


# The entry, what is replaced in it by what, and what is said of that.
SPARSE = [
    ("bend", "aliases: [bow]", "dispatch: {sparse: each_valu}",
     "3:22: bend, sparse: there is no rule for sparse tensors 'each_valu' (did you mean 'each_value'?)"),
    ("bend", "aliases: [bow]", "dispatch: {sparse: product}",
     "3:22: bend, sparse: product is no rule for sparse tensors: a rule takes the call and gives what the op gives for "
     "them"),
]  # fmt: skip
AUTOCAST = [
    ("bend", "aliases: [bow]", "dispatch: {autocast: low}",
     "3:24: bend, autocast: unknown value 'low' (did you mean 'lower'?)"),
    ("bend", "aliases: [bow]", "dispatch: {autocast: half}",
     "3:24: bend, autocast: unknown value 'half' (one of lower float32 widest promote off, like ARGUMENT or "
     "refuse(why))"),
    ("bend", "aliases: [bow]", "dispatch: {autocast: 'refuse()'}",
     "3:24: bend, autocast: unknown value 'refuse()' (one of lower float32 widest promote off, like ARGUMENT or "
     "refuse(why))"),
    ("bend", "aliases: [bow]", "dispatch: {autocast: {gpu: lower}}",
     "3:25: bend, autocast: cpu and cuda are the types of devices, as in {cpu: lower, cuda: float32}"),
    ("bend", "aliases: [bow]", "dispatch: {autocast: {cpu: lower, cpu: float32}}",
     "3:37: bend, autocast: 'cpu' is given twice"),
    ("bend", "aliases: [bow]", "dispatch: {autocast: like slope}",
     "3:24: bend, autocast: 'like slope' names no tensor that is given by place (one of self other)"),
    ("running", "dtypes: [float]", "dtypes: [int]\n  dispatch: {autocast: lower}",
     "11:24: running, autocast: the op takes no floats, and nothing else is cast"),
]  # fmt: skip
TRIED = [
    ("chosen.Tensor", "dtypes: [float]", "try: [atan2, atn2]",
     "31:8: chosen.Tensor, try: there is no op 'atn2' (did you mean 'atan2'?)"),
    ("chosen.Tensor", "dtypes: [float]", "try: [atan2]",
     "31:8: chosen.Tensor, try: 'atan2' is no kernel or view with the types of arguments of 'chosen.Tensor'"),
    ("turned", "check: two_dims", "try: [transpose, cumsum]",
     "21:8: turned, try: 'transpose' is a view, which is tried alone or not at all"),
    ("chosen.Tensor", "dtypes: [float]", "try: [dot, mm]",
     "31:8: chosen.Tensor, autocast: 'mm' is tried first, which 'autocast' casts, and this op is not cast"),
    ("chosen.Tensor", "dtypes: [float]", "try: ['dot(self, other) or 1']",
     "31:8: chosen.Tensor, try: 'dot(self, other) or 1' is no op's name, no call of one by place, and no condition "
     "`and` such a call"),
    ("chosen.Tensor", "dtypes: [float]", "try: ['self.ndim == 1 and cumsumm(self, other)']",
     "31:8: chosen.Tensor, try: there is no op 'cumsumm' (did you mean 'cumsum'?)"),
    ("chosen.Tensor", "dtypes: [float]", "try: ['self.ndim == 1 and atan2(self, other)']",
     "31:8: chosen.Tensor, try: 'atan2' is called first, for which this has to be a composite, and that a kernel"),
    ("chosen.Tensor", "dtypes: [float]", "try: ['other.ndim == 1 and cumsum(self)']",
     "31:8: chosen.Tensor, try: native code takes 2 arguments of 'cumsum', all by place"),
    ("chosen.Tensor", "dtypes: [float]", "try: ['other.ndim == 1 and cumsum(self, othr)']",
     "31:8: chosen.Tensor, try: unknown name 'othr' (did you mean 'other'?)"),
    ("chosen.Tensor", "dtypes: [float]", "try: ['cumsum(self, 1)']",
     "31:8: chosen.Tensor, try: neither the condition nor the call reads other"),
]  # fmt: skip
IF_WRITTEN = [
    ("bend", "aliases: [bow]", "if_written: running",
     "3:15: bend, if_written: there is no op 'running' above this one in the section"),
    ("running", "kernel: cumsum", "kernel: cumsum\n  if_written: bend",
     "13:15: running, if_written: 'bend' computes another expression than this op"),
]  # fmt: skip
HOOKED = [
    ("bend", "aliases: [bow]", "flags: [hook_order: [othr]]",
     "3:23: bend, hook_order: the entry has no gradient for 'othr' (did you mean 'other'?)"),
    ("bend", "aliases: [bow]", "flags: [hook_order: [other, other]]",
     "3:23: bend, hook_order: 'other' stands there twice"),
]  # fmt: skip
DEPRECATED = [
    ("bend", "aliases: [bow]", "deprecated: self slop other",
     "3:15: bend, deprecated: the op has no argument 'slop' (did you mean 'slope'?)"),
    ("bend", "aliases: [bow]", "deprecated: self slope",
     "3:15: bend, deprecated: a call without 'other' is none: it has no default"),
    ("bend", "aliases: [bow]", "deprecated: self slope self other",
     "3:15: bend, deprecated: an argument comes twice: self slope self other"),
    ("bend", "aliases: [bow]", "deprecated: other self",
     "3:15: bend, deprecated: 2 arguments by place are a call of the present form, which has 2"),
]  # fmt: skip
ONNX = [
    ("bend", "aliases: [bow]", "dispatch: {onnx: 'Mull(self, other)'}",
     "3:21: bend, onnx: unknown name 'Mull' (did you mean 'Mul'?)"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: 'Mul(self, othr)'}",
     "3:31: bend, onnx: unknown name 'othr' (did you mean 'other'?)"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: Mul(self)}",
     "3:20: bend, onnx: Mul takes 2 inputs, not 1"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: Concat(axis=0)}",
     "3:20: bend, onnx: Concat takes 1 or more inputs, not 0"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: 'Elu(self * other, alfa=slope)'}",
     "3:44: bend, onnx: Elu has no attribute 'alfa' (did you mean 'alpha'?)"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: cast(self)}",
     "3:20: bend, onnx: 'cast' takes 2 arguments, not 1"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: \"[Mul, self]\"}",
     "3:22: bend, onnx: the operator 'Mul' is to be called"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: {part: Abs(self), last: Neg(self)}}",
     "3:20: bend, onnx: expected 'result' as the last name"),
    ("bend", "aliases: [bow]", "dispatch: {onnx: {part: Abs(self), result: Neg(self)}}",
     "3:27: bend, onnx: nothing uses 'part'"),
]  # fmt: skip
NAMES = [
    ("bend", "aliases: [bow]", "aliases: [absolute]",
     "3:13: bend, aliases: specgrad has an op of this name: 'absolute' is an alias of abs, at derivatives.yaml"),
    ("bend", "aliases: [bow]", "aliases: [bow, bow]",
     "3:18: bend, aliases: 'bow' is given twice"),
    ("bend", "aliases: [bow]", "aliases: [bow, Bow]",
     "3:18: bend, aliases: 'Bow' and 'bow' differ in case only"),
    ("bend", "aliases: [bow]", "aliases: [bend]",
     "3:13: bend, aliases: 'bend' is the name of the op itself"),
    ("bend", "aliases: [bow]", "aliases: [running]",
     "9:9: running: 'running' is an alias of bend, at spec.yaml:3:13"),
    ("bend", "aliases: [bow]", "aliases: [chosen_tensor]",
     "30:9: chosen.Tensor: 'chosen_tensor' is an alias of bend, at spec.yaml:3:13"),
    ("bend", "aliases: [bow]", "aliases: [log]",
     "3:13: bend, aliases: specgrad has an op of this name: 'log' is the name of log, at derivatives.yaml"),
    ("bend", "aliases: [bow]", 'operator: "+"',
     "3:13: bend, operator: '+' is the operator of add.Tensor, at derivatives.yaml"),
    ("running", "dtypes: [float]", "dtypes: [float]\n  aliases: [bow]",
     "11:13: running, aliases: 'bow' is an alias of bend, at spec.yaml:3:13"),
    ("running", "dtypes: [float]", "dtypes: [float]\n  aliases: [bow_]",
     "11:13: running, aliases: 'bow_' is an alias of the in-place function of bend, at spec.yaml:3:13"),
    ("running", "running(", "Bend(",
     "9:9: Bend: 'Bend' and 'bend' differ in case only: 'bend' is the name of bend, at spec.yaml:1:9"),
    ("turned", "result: auto_linear", "result: auto_linaer",
     "23:11: turned, result: unknown name 'auto_linaer' (did you mean 'auto_linear'?)"),
    ("running", "running(", "runningSum(",
     "9:9: runningSum: an op's name has lower-case letters, as in 'runningsum'"),
    ("running", "running(", "bend_(",
     "9:9: bend_: 'bend_' is the in-place function of bend, at spec.yaml:1:9"),
    ("running", "running(", "bow(",
     "9:9: bow: 'bow' is an alias of bend, at spec.yaml:3:13"),
    ("running", "running(", "bend(",
     "9:9: bend: duplicate entry, first at spec.yaml:1:9"),
    ("running", "running(", "exp(",
     "9:9: exp: duplicate entry, first at derivatives.yaml"),
    ("running", "running(", "Exp(",
     "9:9: Exp: 'Exp' and 'exp' differ in case only: 'exp' is the name of exp, at derivatives.yaml"),
    ("running", "running(", "mul.mine(",
     "9:9: mul.mine, variants: Tensor.mul stays as it is: an overload that a package adds needs "
     "`variants: [function]`"),
    ("running", "running(", "chosen_tensor(",
     "30:9: chosen.Tensor: chosen_tensor is the same in Python, first at spec.yaml:9:9"),
    ("running", "running(", "chosen.tensor(",
     "30:9: chosen.Tensor: chosen.tensor is the same in Python, first at spec.yaml:9:9"),
    ("running", "running(", "chosen_default(",
     "26:9: chosen: chosen_default is the same in Python, first at spec.yaml:9:9"),
    ("bend", "float slope=1.0", "float slope=1.0, int Other=1",
     "1:9: bend, Other: 'Other' and 'other' differ in case only: give it another name"),
    ("bend", "float slope=1.0", "float slope=1.0, int Self=1",
     "1:9: bend, Self: 'Self' and 'self' differ in case only: give it another name"),
    ("bend", "float slope=1.0", "float slope=1.0, int Grad=1",
     "1:9: bend, Grad: 'Grad' and 'grad' differ in case only: give it another name"),
    ("bend", "float slope=1.0", "float slope=1.0, int none=1",
     "1:9: bend, none: 'none' and 'None' differ in case only: give it another name"),
    ("bend", "float slope=1.0", "float slope=1.0, int Dtype=1",
     "1:9: bend, Dtype: 'Dtype' and 'dtype' differ in case only: give it another name"),
    ("bend", "-> Tensor", "-> (Tensor a, Tensor A)",
     "1:9: bend, A: 'A' and 'a' differ in case only: give it another name"),
    ("running", "  check:", "  DIM: grad\n  check:",
     "11:3: running: 'DIM' is no argument to give a gradient of (did you mean 'dim'?)"),
    ("running", "  check:", "  Check:",
     "11:3: running: unknown key 'Check' (did you mean 'check'?)"),
    ("bend", "aliases: [bow]", "operator: pos",
     "3:13: bend, operator: unknown value 'pos' (one of + - * / // % ** @ & | ^ ~ << >> r- == != < <= > "
     ">= neg abs invert)"),
    ("running", "dtypes: [float]", "dtypes: [float]\n  operator: neg",
     "11:13: running, operator: 'neg' is the operator of neg, at derivatives.yaml"),
]  # fmt: skip
UNUSED = [
    ("bend", "float slope=1.0", "float slope=1.0, float bias=0.0",
     "1:9: bend, bias: nothing reads this argument: use it, take it out of the schema, or name it in 'ignores'"),
    ("chosen", "bool strict=False", "bool strict=False, int? dim=None",
     "26:9: chosen, dim: nothing reads this argument: use it, take it out of the schema, or name it in 'ignores'"),
    ("chosen", "dtypes: [float]", "dtypes: [float]\n  flags: [ignores: [strict]]",
     "28:20: chosen, ignores: 'strict' is read: it is not ignored"),
    ("chosen", "dtypes: [float]", "dtypes: [float]\n  flags: [ignores: [stric]]",
     "28:20: chosen, ignores: the op has no argument 'stric' (did you mean 'strict'?)"),
    ("turned", "Tensor(a) self, ", "Tensor(a) self, Tensor other, ",
     "21:10: turned, check: two_dims takes 4 arguments (op, self, dim0, dim1), the schema gives it 5: "
     "(the op's name, self, other, dim0, dim1)"),
]  # fmt: skip
OVERLOADS = [
    ("chosen.Tensor", "Tensor self, Tensor other", "Tensor self, int number, bool strict=True",
     "30:9: chosen.Tensor: no call can reach this overload: chosen, at spec.yaml:26:9, takes all of them"),
    ("chosen.Tensor", "chosen.Tensor(", "bend.again(",
     "30:9: bend.again: no call can reach this overload: bend, at spec.yaml:1:9, takes all of them"),
    ("chosen.Tensor", "Tensor other", "Scalar number",
     "30:9: chosen.Tensor: no call can reach this overload: chosen, at spec.yaml:26:9, takes all of them"),
]  # fmt: skip
NUMBERS = [
    ("bend", "self * other * slope", "self * other * slope * 1e999",
     "4:39: bend, elementwise: expected a number that a float can hold: infinity is written inf"),
    ("bend", "self * other * slope", "self * other * slope + 1e300 * 1e300",
     "4:39: bend, elementwise: expected numbers that come to one which an int64 or a float can hold"),
    ("running", "dim=1", "dim=9223372036854775808",
     "17:32: running, samples: expected an integer of at most 64 bits"),
    ("running", "dim=1", "dim=2**63",
     "17:32: running, samples: expected numbers that come to one which an int64 or a float can hold"),
    ("running", "T(3, 4)", "T(3, 10**20)",
     "17:24: running, samples: expected numbers that come to one which an int64 or a float can hold"),
    ("running", "T(3, 4)", "V([1e999])",
     "17:22: running, samples: expected a number that a float can hold: infinity is written inf"),
    ("running", "T(3, 4)", "T(3, lo=-1e999)",
     "17:28: running, samples: expected a number that a float can hold: infinity is written inf"),
    ("chosen", "number=0", "number=-1e400",
     "29:33: chosen, samples: expected a number that a float can hold: infinity is written inf"),
    ("bend", "slope=1.0", "slope=1e999",
     "1:56: bend: bad schema: '1e999' is no default of type float"),
    ("running", "int dim)", "int dim=99999999999999999999)",
     "9:38: running: bad schema: '99999999999999999999' is no default of type int"),
    ("running", "samples: ", "domain: [0, 1e999]\n  samples: ",
     "17:11: running, domain: an interval [lo, hi] with lo < hi is wanted here, neither beyond 1e15"),
    ("running", 'samples: ["self=T(3, 4), dim=1"]', "samples: []",
     "17:12: running, samples: an empty list says nothing: fill it, or leave the key out"),
    ("bend", 'samples: ["self=T(3), other=T(3)"]', "samples: []",
     "8:12: bend, samples: an empty list says nothing: fill it, or leave the key out"),
    ("running", '  samples: ["self=T(3, 4), dim=1"]\n', "",
     "9:9: running, samples: there are no samples to verify the op with"),
    ("bend", "[function, inplace]", "[function, inplace, function]",
     "2:33: bend, variants: 'function' is said twice: leave one out"),
    ("running", "dtypes: [float]", "dtypes: [float, float]",
     "10:19: running, dtypes: 'float' is said twice: leave one out"),
    ("running", "  samples: ", "  domain: {}\n  samples: ",
     "17:11: running, domain: no intervals say nothing: fill it in, or leave the key out"),
    ("turned", "  samples: ", "  domain: {dim0: [0]}\n  samples: ",
     "24:18: turned, domain: an interval [lo, hi] with lo < hi is wanted here, neither beyond 1e15"),
    ("chosen", "  samples: ", "  flags: [once_differentiable]\n  samples: ",
     "29:11: chosen, once_differentiable: the op has no gradient formula: leave the key out"),
    ("bend", "[function, inplace]", "[]",
     "2:13: bend, variants: an empty list says nothing: fill it, or leave the key out"),
]  # fmt: skip
TYPES = [
    ("running", "dim=1", "dim=1.5", "17:32: running, samples: dim: expected int, found float"),
    ("running", "dim=1", "dim='x'", "17:32: running, samples: dim: expected int, found str"),
    ("running", "dim=1", "dim=[1, 2]", "17:32: running, samples: dim: expected int, found list"),
    ("running", "dim=1", "dim=None", "17:32: running, samples: dim: expected int, found None"),
    ("running", "T(3, 4)", "3", "17:19: running, samples: self: expected Tensor, found int"),
    ("chosen", "number=0", "number=T(3)", "29:32: chosen, samples: number: expected Scalar, found tensor"),
]
CIRCLES = [
    ("chosen", "where(self > number if strict else self >= number, self, 0)", "chosen(self, number, not strict)",
     "28:14: chosen, composite: the op would call itself without end: chosen calls chosen"),
    ("chosen.Tensor", "where(self > other, self, other)", "other.chosen(self)",
     "32:14: chosen.Tensor, composite: the op would call itself without end: chosen.Tensor calls chosen.Tensor"),
]  # fmt: skip
SIGNATURES = [
    ("running", "kernel: cumsum", "kernel: mm_backward",
     "12:11: running, kernel: mm_backward takes 4 arguments (output_mask, grad, a, b), the schema gives it 2: "
     "(self, dim)"),
    ("running", "self, int dim)", "self, int dim, int more)",
     "12:11: running, kernel: cumsum takes 2 arguments (a, dim), the schema gives it 3: (self, dim, more)"),
    ("running", "Tensor self, int dim", "int dim, Tensor self",
     "11:10: running, check: one_dim takes its arguments in another order, (self, dim): the schema has (dim, self)"),
    ("turned", "view: transpose", "view: permute",
     "20:9: turned, view: permute takes 4 arguments (shape, strides, offset, dims), the schema gives it "
     "5: (shape, strides, offset, dim0, dim1)"),
    ("turned", "int dim0, int dim1", "int dim1, int dim0",
     "20:9: turned, view: transpose takes its arguments in another order, (dim0, dim1): the schema has (dim1, dim0)"),
    ("turned", "check: two_dims", "check: mm",
     "21:10: turned, check: mm takes 3 arguments (op, self, mat2), the schema gives it 4: (the op's name, "
     "self, dim0, dim1)"),
    ("running", "batch: along", "batch: rank_of",
     "13:21: running, batch: rank_of is no batching rule: a rule takes the call and gives what the op "
     "gives for the batch"),
    ("running", "batch: along", "batch: side_by_side",
     "13:21: running, batch: side_by_side is no batching rule: a rule takes the call and gives what the "
     "op gives for the batch"),
    ("running", "batch: along", "meta: reduced",
     "13:20: running, meta: reduced takes 3 arguments (self, dim, keepdim), the schema gives it 2: (self, dim)"),
    ("running", "cumsum_backward(grad, dim)", "cumsum_backward(dim, grad)",
     "15:13: running, backward: cumsum_backward takes its arguments in another order: (grad, dim)"),
    ("running", "cumsum_backward(grad, dim)", "cumsum_backward(grad)",
     "15:13: running, backward: cumsum_backward takes 2 arguments (grad, dim) by place, got 1"),
    ("running", "cumsum_backward(grad, dim)", "cumsum_backward(grad, dim=dim)",
     "15:13: running, backward: cumsum_backward takes 2 arguments (grad, dim) by place, got 2"),
    ("running", "cumsum_backward(grad, dim)", "cumsum_backward(grad, dim, self)",
     "15:13: running, backward: cumsum_backward takes 2 arguments (grad, dim) by place, got 3"),
]  # fmt: skip
HINTS = [
    ("bend", "grad * other.conj() * slope", "grad * other_p * slope",
     "5:16: bend, self: unknown name 'other_p': x_p and x_t are words of forward formulas, here there is 'other'"),
    ("bend", "grad * other.conj() * slope", "grad * other_t * slope",
     "5:16: bend, self: unknown name 'other_t': x_p and x_t are words of forward formulas, here there is 'other'"),
    ("running", "self_t.cumsum(dim)", "self.cumsum(dim)",
     "16:11: running, result: the formula never uses a tangent (self_t)"),
    ("chosen", "self > number if strict else self >= number", "self > number and strict",
     "28:20: chosen, composite: 'and' wants one truth value, and a tensor has many: write (a) & (b)"),
    ("chosen", "self > number if strict else self >= number", "self > number or self == 0",
     "28:20: chosen, composite: 'or' wants one truth value, and a tensor has many: write (a) | (b)"),
    ("chosen", "self > number if strict else self >= number", "not self",
     "28:20: chosen, composite: 'not' wants one truth value, and a tensor has many: write ~(a)"),
    ("chosen", "self > number if strict else self >= number", "0 < self < number",
     "28:20: chosen, composite: a chain of comparisons wants one truth value, and a tensor has many: "
     "write (a < b) & (b < c)"),
    ("chosen", "where(self > number if strict else self >= number, self, 0)", "self if self > number else 0 * strict",
     "28:14: chosen, composite: 'if' wants one truth value, and a tensor has many: write where(condition, a, b)"),
    ("bend", "self * other * slope", "self ^ 2 * other * slope",
     "4:16: bend, elementwise: '^' is the exclusive or of bits: a power is written **"),
    ("bend", "grad * other.conj() * slope", "grad * other.conj() * slope ^ 2",
     "5:9: bend, self: '^' is the exclusive or of bits: a power is written **"),
    ("bend", "self * other * slope", "self * other * slope / 2",
     f"4:16: bend, elementwise: 'self * other * slope / 2' {FRACTION}"),
    ("bend", "self * other * slope", "(self if self > 0.5 else 1.5 * self) * other * slope",
     f"4:41: bend, elementwise: '1.5' {FRACTION}"),
    ("bend", "self * other * slope", "sinc(self) * other * slope",
     f"4:16: bend, elementwise: 'sinc(self)' {FRACTION}"),
    ("bend", "self * other * slope", "math.exp(self) * other * slope",
     "4:16: bend, elementwise: an expression has no modules: write exp for math.exp"),
    ("bend", "grad * other.conj() * slope", "grad * np.exp(other) * slope",
     "5:16: bend, self: an expression has no modules: write exp for np.exp"),
    ("bend", "grad * other.conj() * slope", "grad * other * slope * math.pi",
     "5:32: bend, self: an expression has no modules: write pi for math.pi"),
    ("chosen", "where(self > number", "torch.nn.functional.relu(self) * where(self > number",
     "28:14: chosen, composite: an expression has no modules: write relu for torch.nn.functional.relu"),
    ("bend", "self * other * slope", "self * OTHER * slope",
     "4:23: bend, elementwise: unknown name 'OTHER' (did you mean 'other'?)"),
]  # fmt: skip
STATED = [
    ("running", "  check:", "  dtype_table: {int33: int32}\n  check:",
     "11:17: running, dtype_table: unknown dtype 'int33' (did you mean 'int32'?)"),
    ("running", "  check:", "  dtype_table: {int32: int64 int32}\n  check:",
     "11:24: running, dtype_table: 2 dtypes for 1 output"),
    ("running", "  check:", "  dtype_table: {int32: refuse}\n  check:",
     "11:24: running, dtype_table: unknown dtype 'refuse' (did you mean 'refused'?)"),
    ("running", "  check:", "  dtype_table: int32\n  check:",
     "11:16: running, dtype_table: dtypes and what comes out are wanted here, as in "
     "{int32: float32, int32 float64: float64}"),
    ("bend", "  self: grad * other.conj() * slope\n  other: grad * self.conj() * slope\n  result: auto_multilinear",
     "  output_differentiability: [False]",
     "5:29: bend, output_differentiability: the output has a derivative: if it is to have no gradient, say "
     "`result: zero` as well"),
    ("bend", "aliases: [bow]", "flags: [commutative]",
     "3:11: bend, commutative: this is for operators that take a number on either side: % & * ** + / // << >> ^ |"),
]  # fmt: skip
OTHER_DTYPES = [
    ("running", "kernel: cumsum", "kernel: cumsum\n  other_dtypes: self + 1",
     "13:17: running, other_dtypes: only a row program leaves dtypes to an expression"),
    ("running", "kernel: cumsum", "rows: result = self + max(self)\n  other_dtypes: self + 1",
     "13:17: running, other_dtypes: it computes nothing: dtypes has floats alone, which the program computes"),
    ("running", "dtypes: [float]\n  check: one_dim\n  kernel: cumsum",
     "dtypes: [int, float]\n  check: one_dim\n  rows: result = self + max(self)\n  other_dtypes: slf + 1",
     "13:17: running, other_dtypes: unknown name 'slf' (did you mean 'self'?)"),
]  # fmt: skip
ALL = {
    "sparse": SPARSE,
    "autocast": AUTOCAST,
    "tried": TRIED,
    "hooked": HOOKED,
    "if_written": IF_WRITTEN,
    "deprecated": DEPRECATED,
    "onnx": ONNX,
    "names": NAMES,
    "unused": UNUSED,
    "other_dtypes": OTHER_DTYPES,
    "overloads": OVERLOADS,
    "numbers": NUMBERS,
    "types": TYPES,
    "circles": CIRCLES,
    "signatures": SIGNATURES,
    "hints": HINTS,
    "stated": STATED,
}
