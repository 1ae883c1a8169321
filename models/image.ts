import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { ImageKind } from '../domain/image.ts';

/** A root file system that tests run in. Its row is written once the image is in the data store, and never changed. */
export function defineImage(sequelize: Sequelize) {
  class Image extends Model<InferAttributes<Image>, InferCreationAttributes<Image>> {
    declare readonly id: CreationOptional<number>;
    declare readonly kind: ImageKind;
    declare readonly distribution: string;
    declare readonly series: string;
    declare readonly architecture: string;
    declare readonly format: 'tar' | 'squashfs';
    /** What it is made of: two images with the same key are the same. */
    declare readonly contentKey: string;
    /** The image that it is made from; null of a base image. */
    declare readonly baseImageId: CreationOptional<number | null>;
    /** The SHA-256 of each InRelease of the archive that it is made from, by its URL. */
    declare readonly releases: Record<string, string>;
    declare readonly sha256: string;
    /** In bytes. */
    declare readonly size: number;
    declare readonly url: string;
    declare readonly manifestUrl: string;
    declare readonly createdAt: CreationOptional<Date>;
  }

  Image.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      kind: { type: DataTypes.TEXT, allowNull: false },
      distribution: { type: DataTypes.TEXT, allowNull: false },
      series: { type: DataTypes.TEXT, allowNull: false },
      architecture: { type: DataTypes.TEXT, allowNull: false },
      format: { type: DataTypes.TEXT, allowNull: false },
      contentKey: { type: DataTypes.TEXT, allowNull: false },
      baseImageId: DataTypes.INTEGER,
      releases: { type: DataTypes.JSONB, allowNull: false },
      sha256: { type: DataTypes.TEXT, allowNull: false },
      size: { type: DataTypes.BIGINT, allowNull: false },
      url: { type: DataTypes.TEXT, allowNull: false },
      manifestUrl: { type: DataTypes.TEXT, allowNull: false },
      createdAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'image', underscored: true, updatedAt: false },
  );
  return Image;
}

export type ImageModel = ReturnType<typeof defineImage>;
export type Image = InstanceType<ImageModel>;
