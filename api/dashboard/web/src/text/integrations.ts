// The words of the screens about connections to other services.
import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/integrations.ts'), de: () => import('./de/integrations.ts') })
