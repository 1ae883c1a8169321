import { createHash } from 'node:crypto';
import {
  DataTypes,
  Model,
  Op,
  type CreationAttributes,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type {
  ImageFormat,
  ImageKind,
  ImagePlace,
  InstalledPackage,
} from '../../domain/testing/image.ts';
import { isTaken } from '../sql/database-errors.ts';

/**
 * A root file system that tests run in. Its row is written once the image is in the data store, and changed only where
 * it is made anew.
 */
export function defineImage(sequelize: Sequelize) {
  class Image extends Model<InferAttributes<Image>, InferCreationAttributes<Image>> {
    declare readonly id: CreationOptional<number>;
    declare readonly kind: ImageKind;
    declare readonly distribution: string;
    declare readonly series: string;
    declare readonly architecture: string;
    /** The PPA that it is made of besides the mirrors, as `ppaReference` writes it; null where there is none. */
    declare readonly target: CreationOptional<string | null>;
    declare readonly format: ImageFormat;
    /** What it is made of: two images with the same key are the same. */
    declare readonly contentKey: string;
    /** The image that it is made from; null of a base image. */
    declare readonly baseImageId: CreationOptional<number | null>;
    /** The SHA-256 of each InRelease of the archives that it is made from, by its address without the protocol. */
    declare readonly releases: Record<string, string>;
    declare readonly sha256: string;
    /** In bytes. */
    declare readonly size: number;
    declare readonly url: string;
    declare readonly manifestUrl: string;
    /** The binary packages of the landing, with their versions; none of a base image. */
    declare readonly binaries: CreationOptional<InstalledPackage[]>;
    /** Of a base image, when it was begun: it may lack what its archives have got since. */
    declare readonly createdAt: CreationOptional<Date>;
    declare readonly updatedAt: CreationOptional<Date>;

    /** The `contentKey` of its squashfs file: the same tar file gives the same one. */
    get squashfsKey(): NonAttribute<string> {
      return createHash('sha256')
        .update(JSON.stringify(['squashfs', this.sha256]))
        .digest('hex');
    }

    /** The latest base image of a place that was begun after a time. */
    static newestBase(
      { distribution, series, architecture, target = null }: ImagePlace,
      since: Date,
    ): Promise<Image | null> {
      return Image.findOne({
        where: {
          kind: 'base',
          distribution,
          series,
          architecture,
          target,
          createdAt: { [Op.gte]: since },
        },
        order: [['id', 'DESC']],
      });
    }

    /** The image that is made of this content. */
    static ofContent(contentKey: string): Promise<Image | null> {
      return Image.findOne({ where: { contentKey } });
    }

    /** Adds an image. @returns its row; where there is one of the same content, that, with this image's file */
    static async add(image: CreationAttributes<Image>): Promise<Image> {
      try {
        return await Image.create(image);
      } catch (error) {
        const same = isTaken(error) ? await Image.ofContent(image.contentKey) : null;
        if (!same) throw error;
        // The same content may be of another base image, of the same bytes.
        const { baseImageId = null, releases, sha256, size, url, manifestUrl } = image;
        return same.update({ baseImageId, releases, sha256, size, url, manifestUrl });
      }
    }
  }

  Image.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      kind: { type: DataTypes.TEXT, allowNull: false },
      distribution: { type: DataTypes.TEXT, allowNull: false },
      series: { type: DataTypes.TEXT, allowNull: false },
      architecture: { type: DataTypes.TEXT, allowNull: false },
      target: DataTypes.TEXT,
      format: { type: DataTypes.TEXT, allowNull: false },
      contentKey: { type: DataTypes.TEXT, allowNull: false },
      baseImageId: DataTypes.INTEGER,
      releases: { type: DataTypes.JSONB, allowNull: false },
      sha256: { type: DataTypes.TEXT, allowNull: false },
      size: { type: DataTypes.BIGINT, allowNull: false },
      url: { type: DataTypes.TEXT, allowNull: false },
      manifestUrl: { type: DataTypes.TEXT, allowNull: false },
      binaries: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'image', underscored: true },
  );
  return Image;
}

export type Image = InstanceType<ReturnType<typeof defineImage>>;
