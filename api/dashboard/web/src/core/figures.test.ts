import { equal, test } from '../testing.ts'
import type { FigureRow } from '../api.gen.ts'
import { changeOf } from './figures.ts'

const row = (of: Partial<FigureRow>) => of as FigureRow
const clicks = (now: number, was: number, digits = 0) => changeOf('clicks', row({ clicks: now }), row({ clicks: was }), digits).text
const cr = (now: number, was: number) => changeOf('cr', row({ cr: now }), row({ cr: was })).text

test('a change that rounds to zero has no sign', () => {
  equal([clicks(997, 1000), clicks(1003, 1000), clicks(997, 1000, 1), clicks(1003, 1000, 1)], ['0%', '0%', '−0.3%', '+0.3%'])
  equal([cr(2.001, 2.004), cr(2.1, 2), cr(2, 2.1)], ['0.00 pt', '+0.10 pt', '−0.10 pt'])
})
