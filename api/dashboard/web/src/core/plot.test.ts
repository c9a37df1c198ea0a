import { equal, test } from '../testing.ts'
import { rangesOf } from './plot.ts'

const zeroAt = ([low, high]: [number, number]) => Math.round((-low / (high - low)) * 1e6) / 1e6

test('the axes of a plot have zero at the same height, and contain all values', () => {
  const cases: (number | null)[][][][] = [
    [[[-10, 100]], [[0, 500, null]]],
    [[[-10, -5]], [[3, 7]]],
    [[[5], [-5, 20]], [[-300, 100]]],
    [[[1, 2]], [[10, 20]]],
  ]
  for (const axes of cases) {
    const ranges = rangesOf(axes)
    equal(zeroAt(ranges[0]!), zeroAt(ranges[1]!), JSON.stringify(ranges))
    axes.forEach((lines, i) =>
      equal(
        lines.flat().every(v => v === null || (v >= ranges[i]![0] && v <= ranges[i]![1])),
        true,
        JSON.stringify([axes, ranges]),
      ),
    )
  }
})

test('an axis without values other than zero goes from 0 to 1, and an axis of losses ends at zero', () => {
  equal(rangesOf([[[null, 0]]]), [[0, 1]])
  equal(rangesOf([[[-4, -2]]]), [[-4, 0]])
})
