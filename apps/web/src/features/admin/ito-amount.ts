import { formatIto } from '../subscription/purchase.ts'

/**
 * Formats an amount: "28 ITO", "1,284.5 ITO", "−2.5 ITO" with a minus sign (U+2212). Never rounds,
 * because amounts must match the chain.
 */
export function formatItoAmount(amountWei: string | bigint): string {
  const signedWei = BigInt(amountWei)
  return signedWei < 0n ? `−${formatIto(-signedWei)} ITO` : `${formatIto(signedWei)} ITO`
}
