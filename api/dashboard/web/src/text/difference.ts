// The words of the comparison with a traffic source or a network.
import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/difference.ts'), de: () => import('./de/difference.ts') })
