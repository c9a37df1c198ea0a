// The texts of the sub-parameters of a traffic source.
import { named } from '../words.ts'

export const words = {
  slot: 'Sub-parameter',
  slotOf: (param: string) => `Sub-parameter of ${param}`,
  sub: (n: number) => `Sub ${n}`,
  none: 'none',
  free: 'free',
  name: 'Name',
  lately: (values: string) => `Lately: ${values}`,
  removed: 'no longer in the link',
  stays: (n: number) => `Sub ${n} stays empty. Reports keep its name.`,
  namedBy: (list: string) => `Still used in: ${list}`,
  more: (n: number) => `${n} more`,
  putBack: 'Put back',
  release: 'Release',
  releaseTitle: (n: number) => `Release Sub ${n}?`,
  releaseText: (n: number, param: string) =>
    `Another parameter may then take Sub ${n}. Clicks until now keep ${param} there, so reports on Sub ${n} mix the two.`,
  moveTitle: (param: string, n: number) => `Move ${param} to Sub ${n}?`,
  moveText: (param: string, from: number, to: number) =>
    `New clicks have ${param} in Sub ${to}. Clicks until now keep it in Sub ${from}, so reports on Sub ${from} or ${to} may mix two parameters.`,
  moveSwap: (other: string, to: number) => `${other} takes Sub ${to}.`,
  move: 'Move',
  uses: 'These will then mean something else:',
  noUses: 'No condition, rule, blocked value or URL uses it.',
  kinds: named({
    campaign: 'Campaign',
    rule: 'Saved rule',
    copilot_rule: 'Copilot rule',
    bot_entry: 'Bot list',
    block_list: 'Blocked values',
    offer: 'Offer',
    lander: 'Landing page',
  }),
}
