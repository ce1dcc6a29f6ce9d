import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { QrCode } from '../ui/qr-code.tsx'
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
          <QrCode text={link} label="QR code for your wallet" />
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
