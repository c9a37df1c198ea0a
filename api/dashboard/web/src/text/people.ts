// The words of team, keys, audit log and profile.
import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/people.ts'), de: () => import('./de/people.ts') })
