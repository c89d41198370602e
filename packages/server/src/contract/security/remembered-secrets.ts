import { createHmac, randomBytes } from 'node:crypto';

/** Digests that are kept. Each takes some 100 bytes. */
const MOST = 10_000;

/**
 * Remembers the last 10,000 secrets that were accepted, so that a flood of wrong ones keeps out nobody who has a right one. It
 * holds digests under a key of its own, not the secrets.
 */
export class RememberedSecrets {
  private readonly digests = new Set<string>();
  private readonly key = randomBytes(32);

  add(secret: string): void {
    this.keep(this.digestOf(secret));
    for (const oldest of this.digests) {
      if (this.digests.size <= MOST) break;
      this.digests.delete(oldest);
    }
  }

  /** Whether a secret is remembered. The one that was asked for last is forgotten last. */
  has(secret: string): boolean {
    const digest = this.digestOf(secret);
    if (!this.digests.has(digest)) return false;
    this.keep(digest);
    return true;
  }

  private keep(digest: string): void {
    this.digests.delete(digest);
    this.digests.add(digest);
  }

  private digestOf(secret: string): string {
    return createHmac('sha256', this.key).update(secret).digest('base64');
  }
}
