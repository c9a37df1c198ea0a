// The words of the screen about domains.
import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/domains.ts'), de: () => import('./de/domains.ts') })
