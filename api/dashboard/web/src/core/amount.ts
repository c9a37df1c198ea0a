import { language } from './text.ts'

export const point = language === 'de' ? ',' : '.'

// amountOf reads an amount that a person types, with a point or a comma and with separators of thousands. It returns null if the
// text is not an amount, or may mean two amounts: 1,234 in English and 1.234 in German mean 1234 or a little more than 1.
export function amountOf(typed: string, decimal = point): number | null {
  const text = typed.replace(/[\s’']/g, '')
  if (/^\d*([.,]\d+)?$/.test(text) && text)
    return /^[1-9]\d{0,2}[.,]\d{3}$/.test(text) && !text.includes(decimal) ? null : Number(text.replace(',', '.'))
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(text)) return Number(text.replaceAll('.', '').replace(',', '.'))
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? Number(text.replaceAll(',', '')) : null
}
