import { encode } from 'uqr'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import type { OpenPairing } from './pairing.ts'

/** Shows the pairing link as a QR code for another device and as a link for this one. */
export function PairingPanel({ pairing: { link, cancel } }: { pairing: OpenPairing }) {
  return (
    <div className="grid gap-4">
      {link === null ? (
        <div className="grid h-72 place-items-center">
          <Spinner>Connecting to the relay…</Spinner>
        </div>
      ) : (
        <>
          <QrCode text={link} />
          <p className="text-base text-2">
            Scan this code with the wallet on your phone and approve the connection there.
          </p>
          <div className="flex items-center justify-between gap-3 text-base text-2">
            <a href={link} className="link touch-target">
              Open a wallet on this device
            </a>
            <span className="flex items-center gap-1">
              Copy link
              <CopyButton text={link} label="Copy link" />
            </span>
          </div>
        </>
      )}
      <Button variant="ghost" onClick={cancel}>
        Back to all wallets
      </Button>
    </div>
  )
}

/** Dark on light in both themes, with the quiet zone that cameras need (ISO/IEC 18004). */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label="QR code for your wallet"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto w-full max-w-72 rounded-control border border-line-2"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
