import { encode } from 'uqr'

interface QrCodeProps {
  text: string
  /** Accessible name: "QR code for your wallet". */
  label: string
}

/**
 * A QR code, dark on light in both themes, with the quiet zone that cameras need (ISO/IEC 18004).
 */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto w-full max-w-72 rounded-control border border-line-2"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
