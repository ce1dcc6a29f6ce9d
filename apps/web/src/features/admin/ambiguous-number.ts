/**
 * Returns true if a comma in a number can separate decimals or thousands: "1,250" is 1.25 or 1250.
 * In "0,125" and "12,5" the comma can only separate decimals.
 */
export function isAmbiguousNumber(text: string): boolean {
  return /^[1-9]\d{0,2}(,\d{3})+$/.test(text.trim())
}

export const ambiguousNumberMessage = 'Write 1250 or 1.250: a comma before three digits can mean either.'
