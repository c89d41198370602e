import type { Store } from 'contract-first-server/database';
import type { EventsStore } from '../storage/events';
import type { PhotosStore } from '../storage/photos';

/** All that this service stores. */
export interface PhotosServiceStore extends Store {
  readonly events: EventsStore;
  readonly photos: PhotosStore;
}
